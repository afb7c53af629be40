//! Levels of detail: their sizes and their contents.

use std::collections::BTreeSet;
use std::path::Path;

use ailang::{Detail, Document, Documents, Interface, Level, Section};
use expect_test::expect;
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        skills_take_few_tokens,
        a_level_takes_no_more_than_the_next,
        the_estimate_is_near,
        what_is_told_reads_as_what_was_written,
        what_was_told_is_told_the_same,
        sections_come_and_go,
        standard_tells_what_programs_need,
        types_are_told_as_they_were_written
    ]
}

/// Returns the valid documents of the corpus, by path.
fn documents() -> Vec<(String, Document)> {
    let mut found = Vec::new();
    for folder in ["skills", "valid"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).expect("it can be read");
            found.push((name, Document::parse(text)));
        }
    }
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    found
}

/// Counts the tokens of a real model's vocabulary.
fn real_tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().count_ordinary(text)
}

fn skills_take_few_tokens() {
    let mut table = String::new();
    for (name, document) in documents().iter().filter(|(_, document)| document.definitions().count() > 0) {
        if name.starts_with('v') {
            continue;
        }
        let sizes: Vec<String> =
            Level::ALL.iter().map(|level| real_tokens(&document.at(*level)).to_string()).collect();
        table.push_str(&format!("{name}: {}\n", sizes.join(" ")));
    }
    expect![[r#"
        carriage-returns: 49 83 294 775 872
        email-sender: 44 78 289 764 860
        github-workflow: 48 84 482 1071 1158
        ide-operations: 51 80 429 1007 1090
        lone-carriage-returns: 49 83 294 775 941
        script-tool: 48 54 147 346 362
        scriptling-hello: 40 54 133 250 267
        send_tweet: 42 49 109 346 370
    "#]]
    .assert_eq(&table);
}

fn a_level_takes_no_more_than_the_next() {
    for (name, document) in documents() {
        let sizes = Level::ALL.map(|level| dialect::tokens(&document.at(level)));
        assert!(sizes.is_sorted(), "{name}: {sizes:?}");
    }
}

fn the_estimate_is_near() {
    for (name, document) in documents() {
        for level in Level::ALL {
            let text = document.at(level);
            let (estimated, real) = (dialect::tokens(&text), real_tokens(&text));
            let at_least = real * 95 / 100 - 3;
            let at_most = real * 130 / 100 + 3;
            assert!(
                (at_least..=at_most).contains(&estimated),
                "{name} {}: {estimated} for {real}",
                level.name()
            );
        }
    }
}

/// Returns the rows of a document, and the diagnostics of loading it.
fn rows(document: &Document) -> (Vec<String>, String) {
    let mut documents = Documents::new();
    documents.insert("main.md", document.clone());
    let reported = document.diagnostics.iter().map(|it| it.message.clone()).collect::<Vec<_>>().join("\n");
    match Interface::load(&documents) {
        Ok(interface) => (interface.functions().iter().map(|it| it.signature.clone()).collect(), reported),
        Err(rejected) => (vec![rejected.to_string()], reported),
    }
}

/// Returns the signatures of all tools without documentation.
fn signatures(document: &Document) -> Vec<String> {
    let tools = Detail { include: [Section::Tools].into(), ..Detail::from(Level::Minimal) };
    document.extract(&tools).lines().filter(|line| line.starts_with("tool ")).map(str::to_owned).collect()
}

fn what_is_told_reads_as_what_was_written() {
    for (name, document) in documents() {
        for level in [Level::Standard, Level::Detailed] {
            let text = document.extract(&level.into());
            let read = Document::parse(text.clone());
            let errors: Vec<_> =
                read.diagnostics.iter().filter(|it| it.severity == ailang::Severity::Error).collect();
            assert!(errors.is_empty(), "{name} at {}: {errors:#?}\n{text}", level.name());
            assert_eq!(signatures(&read), signatures(&document), "{name} at {}\n{text}", level.name());
        }
        let detailed = Document::parse(document.extract(&Level::Detailed.into()));
        let own = rows(&document);
        if own.0.iter().all(|row| !row.contains("error[")) {
            assert_eq!(rows(&detailed).0, own.0, "{name}");
        }
    }
}

fn what_was_told_is_told_the_same() {
    for (name, document) in documents() {
        for level in [Level::Minimal, Level::Standard, Level::Detailed] {
            let text = document.extract(&level.into());
            let again = Document::parse(text.clone()).extract(&level.into());
            assert_eq!(again, text, "{name} at {}", level.name());
        }
    }
}

fn sections_come_and_go() {
    let (_, document) =
        documents().into_iter().find(|(name, _)| name == "email-sender").expect("it is there");
    let detail = |level: Level, include: &[Section], exclude: &[Section]| Detail {
        include: include.iter().copied().collect(),
        exclude: exclude.iter().copied().collect::<BTreeSet<_>>(),
        ..Detail::from(level)
    };
    expect![[r#"
        ---
        id: email-sender
        title: Email sending and scheduling
        summary: Send mail at once, later, or to many people, with attachments and delivery receipts.
        keywords: [email, automation, smtp]
        ---

        <define>
        error InvalidEmailError(address: string) {
          message = "Not a mail address: ${address}"
          recovery = "Ask for the right address; do not guess."
          retryable = false
        }
        error SMTPError(code: number, text: string) {
          message = "The mail server answered ${code}: ${text}"
          recovery = "Codes from 400 to 499: retry later. From 500: do not retry."
          retryable = true
        }
        error RateLimitError(resetAt: Timestamp, remainingQuota: number) {
          message = "Rate limit exceeded. ${remainingQuota} requests remaining."
          recovery = "Wait until ${resetAt} before retrying. Consider sendBulkEmail."
          retryable = true
          retryAfter = resetAt
        }
        tool sendEmail(recipient: Email, subject: Subject, body: string, attachments?: List<Attachment>) -> EmailReceipt requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        tool scheduleEmail(recipient: Email, subject: Subject, body: string, sendAt: Timestamp) -> ScheduledEmailId requires SendEmail throws InvalidEmailError, ValidationError
        tool sendBulkEmail(recipients: List<Email>.minItems(1).maxItems(500), subject: Subject, body: string) -> List<EmailReceipt> requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        </define>
    "#]].assert_eq(&document.extract(&detail(
        Level::Minimal,
        &[Section::Tools, Section::Errors],
        &[],
    )));
    expect![[r#"
        ---
        id: email-sender
        title: Email sending and scheduling
        ---

        Mail cannot be called back. Show recipient and subject to the user when the text was written by you.

        ## When to use

        For messages to people. For notices inside the editor use notifyUser.

        sendEmail(recipient, subject, body, attachments)
        scheduleEmail(recipient, subject, body, sendAt)
        sendBulkEmail(recipients, subject, body)
    "#]]
    .assert_eq(&document.extract(&detail(Level::Compact, &[Section::Prose], &[Section::Metadata])));
    for level in Level::ALL {
        for section in Section::ALL {
            let without = document.extract(&detail(level, &[section], &[section]));
            assert_eq!(
                without,
                document.extract(&detail(level, &[], &[section])),
                "{section:?} at {level:?}"
            );
        }
        let all = document.extract(&detail(level, &[], &Section::ALL));
        assert_eq!(all, "---\nid: email-sender\ntitle: Email sending and scheduling\n---\n");
    }
}

fn standard_tells_what_programs_need() {
    let (_, document) =
        documents().into_iter().find(|(name, _)| name == "email-sender").expect("it is there");
    expect![[r#"
        ---
        id: email-sender
        title: Email sending and scheduling
        summary: Send mail at once, later, or to many people, with attachments and delivery receipts.
        keywords: [email, automation, smtp]
        ---

        Mail cannot be called back. Show recipient and subject to the user when the text was written by you.

        ## When to use

        For messages to people. For notices inside the editor use notifyUser.

        <define>
        type Subject = string.nonEmpty().maxLength(120)
        type Attachment = { path: string.nonEmpty(), type: string.regex(/^[a-z]+\/[a-z0-9.+\-]+$/) }
        type EmailReceipt = { id: UUID, acceptedAt: Timestamp }
        type ScheduledEmailId = string.uuid()
        tool sendEmail(recipient: Email, subject: Subject, body: string, attachments?: List<Attachment>) -> EmailReceipt requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        tool scheduleEmail(recipient: Email, subject: Subject, body: string, sendAt: Timestamp) -> ScheduledEmailId requires SendEmail throws InvalidEmailError, ValidationError
        tool sendBulkEmail(recipients: List<Email>.minItems(1).maxItems(500), subject: Subject, body: string) -> List<EmailReceipt> requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        </define>
    "#]].assert_eq(&document.at(Level::Standard));
    expect![[r#"
        ---
        id: email-sender
        title: Email sending and scheduling
        summary: Send mail at once, later, or to many people, with attachments and delivery receipts.
        keywords: [email, automation, smtp]
        loading: on_demand
        version: 1.1.0
        ---

        Mail cannot be called back. Show recipient and subject to the user when the text was written by you.

        ## When to use

        For messages to people. For notices inside the editor use notifyUser.

        ## Deliverability

        Long lists belong into sendBulkEmail; it sends in batches and stops at the first 5xx answer.

        <define>
        type Subject = string.nonEmpty().maxLength(120)
        type Attachment = { path: string.nonEmpty(), type: string.regex(/^[a-z]+\/[a-z0-9.+\-]+$/) }
        type EmailReceipt = { id: UUID, acceptedAt: Timestamp }
        type ScheduledEmailId = string.uuid()
        capability NetworkAccess { ask = "Allow network access for sending mail", scope = choice("session" | "persistent" | "once"), restrictions?: List<DomainRestriction> }
        capability SendEmail { ask = "Allow sending email in your name", scope = choice("once" | "session") }
        error InvalidEmailError(address: string) {
          message = "Not a mail address: ${address}"
          recovery = "Ask for the right address; do not guess."
          retryable = false
        }
        error SMTPError(code: number, text: string) {
          message = "The mail server answered ${code}: ${text}"
          recovery = "Codes from 400 to 499: retry later. From 500: do not retry."
          retryable = true
        }
        error RateLimitError(resetAt: Timestamp, remainingQuota: number) {
          message = "Rate limit exceeded. ${remainingQuota} requests remaining."
          recovery = "Wait until ${resetAt} before retrying. Consider sendBulkEmail."
          retryable = true
          retryAfter = resetAt
        }
        // Sends one mail and waits until the server has accepted it.
        tool sendEmail(
          // Who gets it
          recipient: Email,
          subject: Subject,
          // Plain text
          body: string,
          attachments?: List<Attachment>
        ) -> EmailReceipt requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        // Queues a mail; it can be cancelled until it is sent.
        tool scheduleEmail(recipient: Email, subject: Subject, body: string, sendAt: Timestamp) -> ScheduledEmailId requires SendEmail throws InvalidEmailError, ValidationError
        tool sendBulkEmail(recipients: List<Email>.minItems(1).maxItems(500), subject: Subject, body: string) -> List<EmailReceipt> requires SendEmail, NetworkAccess throws InvalidEmailError, SMTPError, RateLimitError
        </define>

        <example id="sendWelcomeEmail" tool="sendEmail">
        receipt = sendEmail(
          recipient = "user@example.com",
          subject = "Welcome!",
          body = "Thanks for signing up..."
        )
        print("accepted at ${receipt.acceptedAt}")
        </example>

        <example id="withRetry" tool="sendEmail">
        attempt = 1
        try {
          sendEmail("client@example.com", "Q4 report", "Attached.", attachments = [{ path: "./report.pdf", type: "application/pdf" }])
        } catch RateLimitError(resetAt) {
          wait(resetAt - now())
          retry()
        } catch SMTPError(code, text) {
          if (code < 500 && attempt < 3) {
            wait(exponentialBackoff(attempt))
            retry()
          }
        }
        </example>
    "#]].assert_eq(&document.at(Level::Detailed));
}

/// Returns a type of existing names, in any spelling.
fn written_type() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("string.minLength(1).regex(/^[a-z]+\\/$/i)".to_owned()),
        Just("int.min(-3).max(4_000)".to_owned()),
        Just("number.multipleOf(0.5)".to_owned()),
        Just("Level.default(High)".to_owned()),
        Just("Place".to_owned()),
        Just("choice(\"a b\" | \"${\\u{e9}}\" | -1 | true)".replace("${", "\\${")),
        Just("Bytes".to_owned()),
        Just("any".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| format!("[{it}]")),
            inner.clone().prop_map(|it| format!("List<{it}>.minItems(1).unique()")),
            inner.clone().prop_map(|it| format!("Option<{it}>")),
            inner.clone().prop_map(|it| format!("Dict<string, {it}>")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ one: {a}, \"the other\"?: {b} }}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} | {b})[]")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("(item: {a}, index?: int) -> {b}")),
        ]
    })
}

fn written_document(types: &[String], returns: &str) -> String {
    let parameters: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("  // About {index}.\n  p{index}?: {ty},\n"))
        .collect();
    format!(
        "---\nid: made\ntitle: Made\nsummary: Made.\n---\n\n<define>\n\
         enum Level {{ Low, High = \"high\" }}\n\
         type Place = {{ path: string /* where */, line?: int }}\n\
         type Unused = string\n\
         // Does it.\n// @readOnly\n\
         tool go(\n{}) -> {returns}\n</define>\n",
        parameters.concat()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A printed type means the original, and printing it again changes nothing.
    fn types_are_told_as_they_were_written(
        types in prop::collection::vec(written_type(), 0..4),
        returns in written_type(),
    ) {
        let document = Document::parse(written_document(&types, &returns));
        let own = rows(&document).0;
        prop_assert!(!own[0].contains("error["), "{}", own[0]);
        for level in [Level::Standard, Level::Detailed] {
            let text = document.extract(&level.into());
            let read = Document::parse(text.clone());
            prop_assert_eq!(&rows(&read).0, &own, "{}", text);
            prop_assert_eq!(read.extract(&level.into()), text);
        }
        let standard = document.extract(&Level::Standard.into());
        prop_assert!(!standard.contains("Unused"));
    }
}
