//! The steps on the host's side.

use std::time::Duration;

use plugin_protocol::connection::{Answer, CallId, HostEvent, Ticket};
use plugin_protocol::methods::{HostCall, Level};
use plugin_protocol::session::{Session, SessionEvent, Settings};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::{each, expected_lines, lines, same, show, texts, written};

pub(crate) struct World {
    pub(crate) session: Session,
    pub(crate) now: Duration,
    pub(crate) events: Vec<String>,
    /// The callbacks that were called, in order.
    pub(crate) tickets: Vec<Ticket>,
}

impl Default for World {
    fn default() -> Self {
        let (session, now) = (Session::new(Settings::default()), Duration::ZERO);
        Self { session, now, events: Vec::new(), tickets: Vec::new() }
    }
}

pub(crate) fn run(steps: &[Json]) -> Result<(), String> {
    let mut world = World::default();
    each(steps, |name, value| world.step(name, value))
}

impl World {
    fn step(&mut self, name: &str, value: &Json) -> Result<(), String> {
        match name {
            "start" => self.session.start(self.now).map_err(|it| it.to_string())?,
            "ready" => self.ready(value)?,
            "call" => {
                if let Err(error) = self.session.call(&call(value)?) {
                    self.events.push(format!("not called: {error}"));
                }
            }
            "calls" => {
                let calls =
                    value.as_array().ok_or("a list")?.iter().map(call).collect::<Result<Vec<_>, _>>()?;
                if let Err(error) = self.session.call_all(&calls) {
                    self.events.push(format!("not called: {error}"));
                }
            }
            "assign" => self.assign(value)?,
            "receive" => self.session.receive(&written(value)?, self.now),
            "callback" => self.answer_callback(value)?,
            "give_up" => {
                self.session.give_up(CallId(value.as_u64().ok_or("an id")?), self.now);
            }
            "time" => {
                self.now = Duration::from_millis(value.as_u64().ok_or("milliseconds")?);
                self.session.tick(self.now);
            }
            "shutdown" => self.session.shutdown(self.now),
            "output_ended" => self.session.output_ended(self.now),
            "exited" => self.session.exited(value.as_str().ok_or("a status")?, self.now),
            "wire" => {
                same("written", &lines(&self.session.take_output())?, &expected_lines(value)?)?;
            }
            "events" => {
                self.collect();
                same("events", &std::mem::take(&mut self.events), &texts(value)?)?;
            }
            "offers" => same("offered", &self.offers()?, &texts(value)?)?,
            "dropped" => {
                let dropped = self.session.host().counts().dropped_answers;
                same("dropped answers", &[dropped.to_string()], &[value.to_string()])?;
            }
            other => return Err(format!("there is no step {other}")),
        }
        Ok(())
    }

    /// Starts the session and answers its handshake, with the members of `value` instead of the usual ones.
    fn ready(&mut self, value: &Json) -> Result<(), String> {
        self.session.start(self.now).map_err(|it| it.to_string())?;
        self.session.take_output();
        let mut result = json!({
            "protocol": "1.0", "transport": "json", "library": {"name": "probe"},
            "schema": {"functions": [{"name": "echo"}]},
        });
        for (key, member) in value.as_object().into_iter().flatten() {
            result[key] = member.clone();
        }
        let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        self.session.receive(line.as_bytes(), self.now);
        match self.session.next_event() {
            Some(SessionEvent::Ready) => Ok(()),
            other => Err(format!("not ready: {other:?}")),
        }
    }

    fn assign(&mut self, value: &Json) -> Result<(), String> {
        let part = |at: usize| value[at].as_str().ok_or("a name");
        let class = self.session.description().and_then(|it| it.class(part(0).ok()?)).ok_or("a class")?;
        match class.assignment(part(1)?, part(2)?, show::parse(&value[3])?) {
            Ok(call) => drop(self.session.call(&call).map_err(|it| it.to_string())?),
            Err(error) => self.events.push(format!("not called: {error}")),
        }
        Ok(())
    }

    fn answer_callback(&mut self, value: &Json) -> Result<(), String> {
        self.collect();
        let at = value[0].as_u64().and_then(|it| usize::try_from(it).ok()).ok_or("a number")?;
        let ticket = *self.tickets.get(at).ok_or("no such callback was called")?;
        match value.get("error").or(value[1].get("$error")).and_then(Json::as_str) {
            Some(error) => self.session.answer_callback(ticket, Err(error)),
            None => self.session.answer_callback(ticket, Ok(&show::parse(&value[1])?)),
        }
        Ok(())
    }

    fn offers(&self) -> Result<Vec<String>, String> {
        let description = self.session.description().ok_or("not ready")?;
        let mut offers = vec![description.library.qualified_name()];
        let side = |source: &Option<String>| if source.is_some() { "Source" } else { "Plugin" };
        for it in &description.functions {
            let names = it.signature.as_ref().map(|it| {
                let names: Vec<_> = it.parameters.iter().map(|it| it.name.clone()).collect();
                format!("({}) {:?}", names.join(", "), it.origin)
            });
            offers.push(
                format!("{} {} {}", it.name, side(&it.source), names.unwrap_or_default()).trim().to_owned(),
            );
        }
        offers.extend(description.classes.iter().map(|it| format!("class {} {}", it.name, side(&it.source))));
        offers.extend(
            description.constants.iter().map(|it| format!("{} = {}", it.name, show::value(&it.value))),
        );
        offers.extend(description.warnings.iter().map(|it| format!("warning: {it}")));
        Ok(offers)
    }

    pub(crate) fn collect(&mut self) {
        while let Some(event) = self.session.next_event() {
            let shown = match event {
                SessionEvent::Ready => "ready".to_owned(),
                SessionEvent::Refused(reason) => format!("refused: {reason}"),
                SessionEvent::CloseInput => "close input".to_owned(),
                SessionEvent::Kill => "kill".to_owned(),
                SessionEvent::Ended(end) => format!("ended: {end:?}"),
                SessionEvent::Connection(event) => self.show(event),
            };
            self.events.push(shown);
        }
    }

    fn show(&mut self, event: HostEvent) -> String {
        match event {
            HostEvent::Answer { call: CallId(id), outcome } => match outcome {
                Ok(Answer::Value(value)) => format!("{id}: {}", show::value(&value)),
                Ok(Answer::Object(object)) => format!("{id}: object {object}"),
                Ok(Answer::Description(_)) => format!("{id}: a description"),
                Ok(Answer::Done) => format!("{id}: done"),
                Err(error) => format!("{id} failed: {error}"),
            },
            HostEvent::Callback { ticket, outer, id, arguments } => {
                self.tickets.extend(ticket);
                format!("callback {id}{} of {}", show::arguments(&arguments), outer.0)
            }
            HostEvent::CallbackEnded(_) => "callback ended".to_owned(),
            HostEvent::Log(record) => {
                let args: Vec<_> = record.args.iter().map(show::value).collect();
                format!("log {}: {} {}", Level::name(record.level), record.message, args.join(" "))
            }
            HostEvent::Skipped(broken) => format!("skipped {}: {}", broken.excerpt, broken.reason),
            HostEvent::Closed(reason) => format!("closed: {reason}"),
        }
    }
}

/// Reads a call from its method and params, as a plugin does.
fn call(value: &Json) -> Result<HostCall, String> {
    let method = value[0].as_str().ok_or("a method")?;
    let params = value.get(1).map(|it| RawValue::from_string(it.to_string()));
    let params = params.transpose().map_err(|it| it.to_string())?;
    HostCall::read(method, params.as_deref()).map_err(|it| it.to_string())
}
