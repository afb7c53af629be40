// Sends mail with generated code, through a transport that is often busy. Made beside it:
//
//     ailang generate shared/ailang/corpus/skills/email-sender.md --lang typescript --runtime --output .
import * as email from "./email-sender.generated.js";
import { CapabilityDeniedError, Runtime, type GrantScope } from "./ailang-runtime.js";

declare const console: { log(text: string): void };

/** The answers of the mail server, the next one first. */
const answers: (() => unknown)[] = [];
const receipt = { id: "123e4567-e89b-12d3-a456-426614174000", acceptedAt: 1_760_000_000, queue: "of a newer version" };
let permission: GrantScope | false = false;
let time = 1_760_000_000;

const runtime = new Runtime(email, {
  tools: {
    sendEmail: ({ recipient }: email.SendEmailParams) => {
      console.log(`  the server is asked to send to ${recipient}`);
      return answers.shift()?.();
    },
  },
  ask: ({ ask }) => {
    console.log(`  ${ask}? ${permission || "no"}`);
    return permission;
  },
  // The mail was not sent then, so that nobody gets it twice.
  mayRepeat: (_tool, error) =>
    error instanceof email.RateLimitError || (error instanceof email.SMTPError && error.params.code < 500),
  clock: {
    now: () => time,
    sleep: async (seconds) => {
      console.log(`  waits ${seconds < 10 ? "a moment" : `${seconds} s`}`);
      time += seconds;
    },
  },
});

const fail = (error: Error) => () => {
  throw error;
};

async function send(title: string, recipient = "ada@example.org"): Promise<void> {
  console.log(title);
  try {
    const { id, ...rest } = await email.sendEmail({ recipient, subject: "Hello", body: "Welcome!" }, runtime);
    console.log(`  accepted as ${id} with ${Object.keys(rest).join(", ")}`);
  } catch (error) {
    if (error instanceof CapabilityDeniedError) {
      console.log(`  ${error.message}`);
    } else if (error instanceof email.ToolError) {
      console.log(`  ${error.message}. ${error.recovery ?? ""}`);
    } else {
      console.log("  a value is not of its type");
    }
  }
}

await send("Without permission");

permission = "once";
answers.push(
  fail(new email.RateLimitError({ resetAt: time + 30, remainingQuota: 0 })),
  fail(new email.SMTPError({ code: 421, text: "busy" })),
  () => receipt,
);
await send("Permitted once, and the server is busy");

permission = "session";
answers.push(fail(new email.SMTPError({ code: 550, text: "no such user" })));
await send("Permitted for the session, and the server refuses");
await send("To somebody without an address", "nobody");
answers.push(() => ({ id: "m1" }));
await send("With a receipt that is none");
answers.push(...Array.from({ length: 3 }, () => fail(new email.SMTPError({ code: 450, text: "try later" }))));
await send("Busy for too long");

permission = false;
runtime.revoke(email.Capability.SendEmail);
console.log("Around the generated function");
try {
  await runtime.execute("sendEmail", { recipient: "ada@example.org", subject: "Hello", body: "" });
} catch (error) {
  console.log(`  ${(error as Error).message}`);
}

console.log("Audit");
for (const { action, capability, tool, detail } of runtime.audit) {
  const said = detail?.replace("ZodError", "ValidationError").replace(/, in .*/, "");
  console.log(["", action, capability, tool, said].filter((it) => it !== undefined).join(" "));
}
