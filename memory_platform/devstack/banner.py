"""The text that is printed when the stack is up: addresses, keys and a command to try."""

from memory_platform.devstack.seed.data import STAFF
from memory_platform.devstack.seed.demo_access import DemoAccess

LINE = "-" * 78


def banner(base_url: str, demo: DemoAccess | None, *, seconds: float) -> str:
    """Return the text in English and Chinese; without a demo world it names the commands for a login and a key."""
    access = [
        f"Console 控制台   {base_url}/console/   (login 登录: .venv/bin/python manage.py createsuperuser)",
        f"API     接口     {base_url}/v1        (key 密钥: .venv/bin/python manage.py create_key --tenant T)",
    ]
    if demo:
        access = _demo_lines(base_url, demo)
    head = f"The memory platform is ready ({seconds:.1f} s). Ctrl-C stops it.  记忆平台已就绪,按 Ctrl-C 停止。"
    return "\n".join(["", LINE, head, "", *access, LINE, ""])


def _demo_lines(base_url: str, demo: DemoAccess) -> list[str]:
    headers = f"-H 'Authorization: Bearer {demo.keys[demo.tenant]}' -H 'Content-Type: application/json'"
    return [
        f"Console 控制台         {base_url}/console/",
        *(
            f"Login   登录           {user} / {password}{_describe_role(user)}"
            for user, password in demo.logins.items()
        ),
        f"API     接口           {base_url}/v1   (docs 文档: {base_url}/v1/docs)",
        *(f"API key {tenant:<7} 密钥  {key}" for tenant, key in demo.keys.items()),
        "",
        "Try it 试一试:",
        f'curl -s {base_url}/v1/subjects/{demo.subject}/recall {headers} -d \'{{"query": "navigate home"}}\'',
    ]


def _describe_role(user: str) -> str:
    staff = STAFF.get(user)
    return f"   ({staff.role}, {staff.tenant})" if staff else ""
