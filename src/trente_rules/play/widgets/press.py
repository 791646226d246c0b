"""A word that is clicked, for those who play by the mouse."""

from __future__ import annotations

from textual.widgets import Static


class Press(Static):
    """A word that does an action of its screen when it is clicked."""

    def __init__(self, text: str, action: str) -> None:
        """Take the text and the action."""
        super().__init__(f" {text} ", markup=False)
        self._action = action

    async def on_click(self) -> None:
        """Do it."""
        await self.screen.run_action(self._action)
