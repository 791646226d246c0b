"""A cluster of dask that is not there, or comes away."""

from __future__ import annotations

import datetime as dt
import ipaddress
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trente_rules import TrenteError
from trente_rules.simulation import runner
from trente_rules.simulation.runner import cluster


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library, and nobody who answers, are sentences."""
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "distributed", None)
        with pytest.raises(TrenteError) as caught, cluster("tcp://127.0.0.1:1"):
            pass
    assert caught.value.code == "needs-cluster"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CancelledError(), "its work was cancelled"),
        (ModuleNotFoundError("No module named 'trente_rules'"), "No module named"),
        (ZeroDivisionError(), ""),
    ],
)
def test_a_cluster_that_comes_away_while_it_plays(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    """Work that is cancelled and workers without the library are a sentence; faults stay faults."""

    class Client:
        def __init__(self, *_arguments: Any, **_named: Any) -> None:
            pass

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_arguments: object) -> None:
            pass

        def get_executor(self) -> None:
            pass

        def ncores(self) -> dict[str, int]:
            return {}

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    with pytest.raises(TrenteError if told else ZeroDivisionError) as caught, cluster("tcp://a:1"):
        raise error
    if isinstance(caught.value, TrenteError):
        assert caught.value.code == "cluster-lost"
        assert told in caught.value.message


def certificate(folder: Path) -> dict[str, str]:
    """Make a certificate that vouches for itself; return dask's settings for it."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    folder.mkdir()
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a cluster of a test")])
    now = dt.datetime.now(dt.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    files = {"ca-file": "cert.pem"} | {
        f"{role}.{kind}": f"{kind}.pem"
        for role in ("client", "scheduler", "worker")
        for kind in ("cert", "key")
    }
    return {f"distributed.comm.tls.{what}": str(folder / file) for what, file in files.items()}


@contextmanager
def scheduler(settings: dict[str, str]) -> Iterator[str]:
    """Start a cluster that speaks TLS only; return its address."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address=None,
            protocol="tls://",
            host="127.0.0.1",
            security=distributed.Security(require_encryption=True),
        ) as own,
    ):
        yield own.scheduler_address


@pytest.mark.slow
def test_a_cluster_by_tls(tmp_path: Path) -> None:
    """S19: ``tls://`` plays with the certificates of dask's configuration."""
    with scheduler(certificate(tmp_path / "ours")) as address:
        assert address.startswith("tls://")
        with cluster(address) as (executor, threads):
            assert threads == 2
            assert executor.submit(sum, (1, 2)).result() == 3


@pytest.mark.slow
@pytest.mark.parametrize("who", ["another authority", "no certificate", "no TLS"])
def test_nobody_plays_without_a_certificate(
    who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S19: a scheduler of TLS refuses who has none of its certificates, with what to set."""
    dask = pytest.importorskip("dask")
    monkeypatch.setattr(runner, "PATIENCE", 2)
    ours, others = certificate(tmp_path / "ours"), certificate(tmp_path / "others")
    with scheduler(ours) as address:
        settings = others if who == "another authority" else dict.fromkeys(ours)
        named = address.replace("tls://", "tcp://") if who == "no TLS" else address
        with dask.config.set(settings), pytest.raises(TrenteError) as caught, cluster(named):
            pass
    assert caught.value.code == "no-cluster"
    names_settings = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in caught.value.hint
    assert names_settings == (who != "no TLS")
