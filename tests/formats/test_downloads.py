"""Files from the network: whole, with the right digest, tried again, or an error that leaves what was there."""

import hashlib
import http.server
import socket
import threading

import pytest

from hybridize import gluon, hybridize, np, test_utils
from hybridize.errors import CaptureError, HybridizeError, LoadError, ValueArgumentError, WriteError
from hybridize.formats import downloads
from tests.refusals import refusal

CONTENT = bytes(range(256)) * 5000
SHA1 = hashlib.sha1(CONTENT).hexdigest()
utils = gluon.utils


@pytest.fixture
def server(monkeypatch):
    """A server of this machine; `server.answers` are what it does at each request, the last of them from then on."""
    monkeypatch.setattr(downloads, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            answer = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
            if isinstance(answer, int):
                self.send_error(answer)
                return
            declared, sent = answer
            self.send_response(200)
            if declared is not None:
                self.send_header("Content-Length", str(declared))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked, made.answers = [], [(len(CONTENT), CONTENT)]
        made.url = f"http://127.0.0.1:{made.server_port}/data/weights.params?version=2"
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield made
        made.shutdown()


def test_a_file_comes_whole_and_once(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert utils.download(server.url) == "weights.params"
    assert (tmp_path / "weights.params").read_bytes() == CONTENT
    assert utils.download(server.url) == "weights.params"
    assert len(server.asked) == 1
    utils.download(server.url, overwrite=True)
    assert len(server.asked) == 2
    named = utils.download(server.url, tmp_path / "new" / "other.bin", sha1_hash=SHA1.upper())
    assert named == str(tmp_path / "new" / "other.bin")
    assert utils.check_sha1(named, SHA1)
    assert utils.download(server.url, tmp_path / "new") == str(tmp_path / "new" / "weights.params")
    assert test_utils.download is utils.download


def test_a_file_with_another_digest_is_fetched_anew(server, tmp_path):
    path = tmp_path / "w"
    path.write_bytes(b"old")
    utils.download(server.url, path, sha1_hash=SHA1)
    assert path.read_bytes() == CONTENT
    utils.download(server.url, path, sha1_hash=SHA1)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "what", "asked"),
    [
        (503, "the server says 503", 3),
        (404, "the server says 404", 1),
        ((len(CONTENT), CONTENT[:1000]), "1000|IncompleteRead", 3),
        ((len(CONTENT), CONTENT[:-1] + b"x"), "another SHA-1", 3),
    ],
)
def test_what_does_not_come_right_is_tried_again_and_refused(server, tmp_path, answer, what, asked):
    path = tmp_path / "w"
    path.write_bytes(b"old")
    server.answers = [answer]
    with refusal(LoadError, f"E668: http://127.*{what}"):
        utils.download(server.url, path, sha1_hash=SHA1, retries=2)
    assert len(server.asked) == asked
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["w"]


def test_the_second_try_may_do(server, tmp_path):
    server.answers = [500, (len(CONTENT), CONTENT[:9]), (None, CONTENT)]
    path = utils.download(server.url, tmp_path / "w", sha1_hash=SHA1, retries=2)
    assert utils.check_sha1(path, SHA1)


def test_no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with refusal(LoadError, r"E668.*refused(.|\n)*without a network"):
        utils.download(f"http://127.0.0.1:{port}/w", tmp_path / "w", retries=0)


def test_wrong_calls(server, tmp_path):
    for url in ("ftp://example.org/w", "file:///etc/hosts", "w", 3):
        with refusal(ValueArgumentError, "with http:// or https://"):
            utils.download(url, tmp_path / "w")
    with refusal(ValueArgumentError, "retries"):
        utils.download(server.url, tmp_path / "w", retries=-1)
    with refusal(ValueArgumentError, "does not end in a file name"):
        utils.download("http://127.0.0.1/")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "weights.params").mkdir()
    with refusal(WriteError, "folder"):
        utils.download(server.url, tmp_path / "w", overwrite=True)
    with pytest.raises(HybridizeError):
        utils.check_sha1(tmp_path / "none", SHA1)

    def function(x):
        utils.download(server.url)
        return x

    with pytest.raises(CaptureError, match="E407"):
        hybridize(function)(np.ones(2))
    assert server.asked == []
