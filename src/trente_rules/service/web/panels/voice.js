/** The croupier's voice: the browser's own, in the language of the house. */

/** What speech calls the languages of houses. */
const SPOKEN = /** @type {{[code: string]: string}} */ ({
  en: "en-GB",
  fr: "fr-FR",
  it: "it-IT",
  es: "es-ES",
  de: "de-DE",
});

/** Return whether this browser can speak at all. */
export function speaks() {
  return "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
}

/**
 * Return the best voice for a language: one that works without a network comes first.
 * @param {string} code
 */
export function voiceOf(code) {
  const wanted = SPOKEN[code] ?? code;
  const voices = speechSynthesis.getVoices().filter((voice) => voice.lang.slice(0, 2) === code);
  return (
    voices.find((voice) => voice.localService && voice.lang === wanted) ??
    voices.find((voice) => voice.localService) ??
    voices[0] ??
    null
  );
}

/**
 * Say a call; what is still being said is not cut off, but calls that wait are dropped.
 * @param {string} text
 * @param {string} code
 */
export function speak(text, code) {
  if (!speaks() || !text) return;
  if (speechSynthesis.pending) speechSynthesis.cancel();
  const said = new SpeechSynthesisUtterance(text);
  said.lang = SPOKEN[code] ?? code;
  const voice = voiceOf(code);
  if (voice) said.voice = voice;
  said.rate = 1;
  speechSynthesis.speak(said);
}

/** Be silent at once. */
export function hush() {
  if (speaks()) speechSynthesis.cancel();
}
