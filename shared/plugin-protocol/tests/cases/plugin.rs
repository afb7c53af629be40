//! The steps on the plugin's side.

use plugin_protocol::connection::{Plugin, PluginEvent, Ticket};
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::PluginCall;
use plugin_protocol::schema::Description;
use plugin_protocol::{Limits, Remote};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::{each, expected_lines, lines, same, show, step, texts, written};

struct World {
    plugin: Plugin,
    events: Vec<String>,
    /// The calls that wait for an answer, in order.
    tickets: Vec<Ticket>,
}

pub(crate) fn run(steps: &[Json]) -> Result<(), String> {
    let plugin = Plugin::new(Limits::default());
    let mut world = World { plugin, events: Vec::new(), tickets: Vec::new() };
    each(steps, |name, value| world.step(name, value))
}

impl World {
    fn step(&mut self, name: &str, value: &Json) -> Result<(), String> {
        match name {
            "receive" => self.plugin.receive(&written(value)?),
            "input_ended" => self.plugin.end("the host closed the input"),
            "answer" => self.answer(value)?,
            "call" => {
                let method = value[0].as_str().ok_or("a method")?;
                let params = RawValue::from_string(value[1].to_string()).map_err(|it| it.to_string())?;
                let call = PluginCall::read(method, Some(&params)).map_err(|it| it.to_string())?;
                self.plugin.call(&call).map_err(|it| it.to_string())?;
            }
            "wire" => same("written", &lines(&self.plugin.take_output())?, &expected_lines(value)?)?,
            "events" => {
                self.collect();
                same("events", &std::mem::take(&mut self.events), &texts(value)?)?;
            }
            other => return Err(format!("there is no step {other}")),
        }
        Ok(())
    }

    /// Answers a call, which the first element numbers, with what the second names.
    fn answer(&mut self, value: &Json) -> Result<(), String> {
        self.collect();
        let at = value[0].as_u64().and_then(|it| usize::try_from(it).ok()).ok_or("a number")?;
        let ticket = *self.tickets.get(at).ok_or("there is no such call")?;
        let (kind, with) = step(&value[1])?;
        match kind {
            "value" => self.plugin.answer(ticket, Ok(&show::parse(with)?)),
            "error" => self.plugin.answer(ticket, Err(ErrorObject::new(with.as_str().ok_or("a text")?))),
            "done" => self.plugin.answer_done(ticket),
            "object" => {
                let part = |at: usize| with[at].as_str().unwrap_or_default().to_owned();
                let object = Remote { library: part(0), class: part(1), id: part(2) };
                self.plugin.answer_object(ticket, &object);
            }
            "description" => {
                let raw = RawValue::from_string(with.to_string()).map_err(|it| it.to_string())?;
                let description = Description::read(Some(&raw)).map_err(|it| it.to_string())?;
                self.plugin.answer_handshake(ticket, &description);
            }
            other => return Err(format!("there is no answer {other}")),
        }
        Ok(())
    }

    fn collect(&mut self) {
        while let Some(event) = self.plugin.next_event() {
            let shown = match event {
                PluginEvent::Call { ticket: Some(ticket), call } => {
                    self.tickets.push(ticket);
                    show::call(&call)
                }
                PluginEvent::Call { ticket: None, call } => format!("unanswered {}", show::call(&call)),
                PluginEvent::Answer { call, outcome: Ok(value) } => {
                    format!("{}: {}", call.0, show::value(&value))
                }
                PluginEvent::Answer { call, outcome: Err(error) } => format!("{} failed: {error}", call.0),
                PluginEvent::Skipped(broken) => format!("skipped {}: {}", broken.excerpt, broken.reason),
                PluginEvent::Closed(reason) => format!("closed: {reason}"),
            };
            self.events.push(shown);
        }
    }
}
