"""Sends mail with generated code, through a transport that is often busy. Made beside it:

ailang generate shared/ailang/corpus/skills/email-sender.md --lang python --runtime --output .
"""

import asyncio
from collections.abc import Callable
from typing import Any, Literal, NoReturn, Union

import email_sender_generated as email
from ailang_runtime import CapabilityDeniedError, GrantScope, Request, Runtime

# The answers of the mail server, the next one first.
answers: list[Callable[[], Any]] = []
receipt = {"id": "123e4567-e89b-12d3-a456-426614174000", "acceptedAt": 1_760_000_000, "queue": "of a newer version"}
permission: Union[GrantScope, Literal[False]] = False
time = 1_760_000_000.0


def send_email(params: dict[str, Any]) -> Any:
    print(f"  the server is asked to send to {params['recipient']}")
    return answers.pop(0)()


def ask(request: Request) -> Union[GrantScope, Literal[False]]:
    print(f"  {request.ask}? {permission or 'no'}")
    return permission


def may_repeat(_tool: str, error: Exception) -> bool:
    # The mail was not sent then, so that nobody gets it twice.
    is_busy = isinstance(error, email.SMTPError) and error.params["code"] < 500
    return is_busy or isinstance(error, email.RateLimitError)


async def sleep(seconds: float) -> None:
    global time
    print("  waits a moment" if seconds < 10 else f"  waits {seconds:.0f} s")
    time += seconds


runtime = Runtime(
    email, tools={"sendEmail": send_email}, ask=ask, may_repeat=may_repeat, now=lambda: time, sleep=sleep
)


def fail(error: Exception) -> Callable[[], Any]:
    def answer() -> NoReturn:
        raise error

    return answer


async def send(title: str, recipient: str = "ada@example.org") -> None:
    print(title)
    try:
        accepted = await email.send_email(runtime, recipient=recipient, subject="Hello", body="Welcome!")
        rest = [name for name in accepted.model_dump() if name != "id"]
        print(f"  accepted as {accepted.id} with {', '.join(rest)}")
    except CapabilityDeniedError as error:
        print(f"  {error}")
    except email.ToolError as error:
        print(f"  {error}. {error.recovery or ''}")
    except ValueError:
        print("  a value is not of its type")


async def main() -> None:
    global permission
    await send("Without permission")

    permission = "once"
    answers.append(fail(email.RateLimitError(resetAt=int(time) + 30, remainingQuota=0)))
    answers.append(fail(email.SMTPError(code=421, text="busy")))
    answers.append(lambda: receipt)
    await send("Permitted once, and the server is busy")

    permission = "session"
    answers.append(fail(email.SMTPError(code=550, text="no such user")))
    await send("Permitted for the session, and the server refuses")
    await send("To somebody without an address", "nobody")
    answers.append(lambda: {"id": "m1"})
    await send("With a receipt that is none")
    answers.extend([fail(email.SMTPError(code=450, text="try later"))] * 3)
    await send("Busy for too long")

    permission = False
    runtime.revoke(email.Capability.SEND_EMAIL)
    print("Around the generated function")
    try:
        await runtime.execute("sendEmail", {"recipient": "ada@example.org", "subject": "Hello", "body": ""})
    except CapabilityDeniedError as error:
        print(f"  {error}")

    print("Audit")
    for entry in runtime.audit:
        said = entry.detail and entry.detail.split(", in ")[0]
        parts = ["", entry.action, entry.capability, entry.tool, said]
        print(" ".join(part for part in parts if part is not None))


asyncio.run(main())
