"""An OpenID provider on a real port: discovery, keys, authorisation, token and userinfo. It lies on demand."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "console-of-tests", "a-secret-of-the-console"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})


class FakeProvider:
    """Says ``claims`` of whoever logs in; ``lies`` replace claims of the ID token, None removes one."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"sub": "person-1", "preferred_username": "pat"}
        self.lies: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.signing: Any = ("RS256", KEY)
        self.instead_of_token: bytes | None = None
        self.delay_s = 0.0
        self.issuer = ""
        self.requests: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    def describe(self) -> dict[str, Any]:
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        known = {name: f"{self.issuer}/{end}" for name, end in ends.items()}
        known["userinfo_endpoint"] = f"{self.issuer}/userinfo"
        return {
            "issuer": self.issuer,
            **known,
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.metadata,
        }

    def authorise(self, query: dict[str, str]) -> str:
        """Log the person in at once and return where the browser goes."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert query["code_challenge_method"] == "S256"
        assert len(query["nonce"]) >= 20
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def exchange(self, form: dict[str, str], authorisation: str) -> tuple[int, dict[str, Any]]:
        """Return the tokens for a code that is used for the first time, with the right verifier and client."""
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorisation != f"Basic {basic}":
            return 401, {"error": "invalid_client"}
        query = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        said = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": query["nonce"]}
        claims = {**said, **self.claims, **self.lies}
        claims = {name: value for name, value in claims.items() if value is not None}
        return 200, {"access_token": "at", "token_type": "Bearer", "expires_in": 300, "id_token": self.sign(claims)}

    def sign(self, claims: dict[str, Any]) -> str:
        algorithm, key = self.signing
        if algorithm == "none":
            parts = ({"alg": "none", "kid": "one"}, claims)
            return ".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in parts) + "."
        return jwt.encode({"alg": algorithm, "kid": "one"}, claims, key, algorithms=[algorithm])


def sign_with_secret() -> tuple[str, OctKey]:
    """Return what signs with the client's secret, which the platform must not accept."""
    return "HS256", OctKey.import_key(SECRET.ljust(32, "-"))


def make_handler(provider: FakeProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.requests.append(parts.path)
            time.sleep(provider.delay_s)
            if parts.path.endswith("/.well-known/openid-configuration"):
                self.answer(200, provider.describe())
            elif parts.path.endswith("/jwks"):
                self.answer(200, {"keys": [KEY.as_dict(private=False)]})
            elif parts.path.endswith("/authorize"):
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorise(query))
                self.end_headers()
            else:
                self.answer(200, {"sub": provider.claims["sub"], **provider.userinfo})

        def do_POST(self) -> None:
            provider.requests.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            if provider.instead_of_token is not None:
                self.answer(200, provider.instead_of_token)
                return
            self.answer(*provider.exchange(form, self.headers.get("Authorization", "")))

        def answer(self, status: int, body: Any) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


@contextmanager
def oidc_server() -> Iterator[FakeProvider]:
    """Run a provider on a free port."""
    provider = FakeProvider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(provider))
    provider.issuer = f"http://127.0.0.1:{server.server_port}/realm"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
