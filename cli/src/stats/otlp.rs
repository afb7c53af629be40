//! The numbers as OpenTelemetry metrics, sent over OTLP to the collector that the user's environment names.
//!
//! They come from the logs, so that no call waits for the network, and the proxies open no connection. Counters are the
//! sums of all entries: sent again later, they have grown.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{MetricExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use ureq::Agent;

use super::count::Numbers;
use super::prometheus::COUNTERS;
use crate::failure::Failure;

/// The variables that name the collector. There is no default: without them nothing is sent.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"];

/// The time of one request. `OTEL_EXPORTER_OTLP_TIMEOUT` can shorten the whole.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The bounds of the buckets of durations, in seconds.
const BOUNDS: [f64; 14] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0, 60.0];

/// Sends the numbers.
///
/// # Errors
/// No collector is named, or it does not take them.
pub(super) fn send(numbers: &Numbers) -> Result<(), Failure> {
    if !ENDPOINTS.iter().any(|it| std::env::var_os(it).is_some_and(|it| !it.is_empty())) {
        let variable = ENDPOINTS[0];
        return Err(format!(
            "{variable} names no collector, so nothing is sent; set it, to http://127.0.0.1:4318 for instance"
        )
        .into());
    }
    let exporter = MetricExporter::builder().with_http().with_http_client(Client::new()).build()?;
    export(numbers, exporter)
}

fn export(numbers: &Numbers, exporter: MetricExporter) -> Result<(), Failure> {
    let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
        Some(_) => Resource::builder(),
        None => Resource::builder().with_service_name("dialect"),
    };
    let reader = PeriodicReader::builder(exporter).with_interval(Duration::from_secs(3_600)).build();
    let provider = SdkMeterProvider::builder().with_resource(resource.build()).with_reader(reader).build();
    measure(numbers, &provider.meter("dialect"));
    let sent = provider.force_flush();
    // What could not be sent is not sent again.
    std::thread::spawn(move || drop(provider));
    Ok(sent.map_err(|error| format!("the collector did not take the metrics: {error}"))?)
}

/// Records the numbers.
fn measure(numbers: &Numbers, meter: &Meter) {
    for (name, help, value) in COUNTERS {
        let counter = meter.u64_counter(format!("dialect.{name}")).with_description(*help).build();
        for (kind, function, row) in numbers.rows() {
            counter.add(value(row), &attributes(kind, function));
        }
    }
    let errors = meter.u64_counter("dialect.errors").with_description("Calls that failed, by error").build();
    let duration = meter
        .f64_histogram("dialect.duration")
        .with_description("Durations of calls")
        .with_unit("s")
        .with_boundaries(BOUNDS.to_vec())
        .build();
    for (kind, function, row) in numbers.rows() {
        for (error, count) in &row.errors {
            let mut attributes = attributes(kind, function).to_vec();
            attributes.push(KeyValue::new("error.type", error.clone()));
            errors.add(*count, &attributes);
        }
        for (milliseconds, count) in row.durations.buckets() {
            (0..count).for_each(|_| duration.record(milliseconds / 1_000.0, &attributes(kind, function)));
        }
    }
    for (name, help, value) in numbers.totals() {
        meter.u64_counter(format!("dialect.{name}")).with_description(help).build().add(value, &[]);
    }
}

fn attributes(kind: &'static str, function: &str) -> [KeyValue; 2] {
    [KeyValue::new("kind", kind), KeyValue::new("function", function.to_owned())]
}

/// The client of HTTP that is here already.
#[derive(Debug)]
struct Client(Agent);

impl Client {
    fn new() -> Self {
        let config = packages::agent_config().timeout_global(Some(TIMEOUT)).build();
        Self(Agent::new_with_config(config))
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let answer = self.0.run(Request::from_parts(parts, body.as_ref()))?;
        let (parts, mut body) = answer.into_parts();
        let body = body.with_config().limit(1 << 20).read_to_vec()?;
        Ok(Response::from_parts(parts, body.into()))
    }
}

impl HttpClient for Client {
    fn send_bytes<'client, 'sending>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sending>>
    where
        'client: 'sending,
        Self: 'sending,
    {
        // The exporter has a thread of its own, which waits anyway.
        Box::pin(std::future::ready(self.send(request)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use opentelemetry_otlp::WithExportConfig;
    use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
    use opentelemetry_proto::tonic::metrics::v1::{Metric, metric, number_data_point};
    use prost::Message;

    use super::*;

    /// A collector that takes one request, and answers with a status.
    fn collector(status: &'static str) -> (String, JoinHandle<(String, ExportMetricsServiceRequest)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/metrics", listener.local_addr().unwrap());
        let receiving = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim_end().to_lowercase();
                if line.is_empty() {
                    break;
                }
                length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
                head.push_str(&line);
                head.push('\n');
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            (head, ExportMetricsServiceRequest::decode(body.as_slice()).unwrap())
        });
        (url, receiving)
    }

    fn sent(url: &str) -> Result<(), Failure> {
        let numbers = super::super::report::tests::numbers();
        let http = MetricExporter::builder().with_http().with_http_client(Client::new());
        export(&numbers, http.with_endpoint(url).build().unwrap())
    }

    /// Returns the numbers of a metric, each with its attributes.
    fn points(metric: &Metric) -> Vec<(String, i64)> {
        let Some(metric::Data::Sum(sum)) = &metric.data else { panic!("{metric:?} is no sum") };
        assert!(sum.is_monotonic);
        let each = sum.data_points.iter().map(|point| {
            let mut attributes: Vec<String> = point
                .attributes
                .iter()
                .map(|it| format!("{}={:?}", it.key, it.value.as_ref().unwrap().value.as_ref().unwrap()))
                .collect();
            attributes.sort();
            let Some(number_data_point::Value::AsInt(value)) = point.value else { panic!("{point:?}") };
            (attributes.join(","), value)
        });
        each.collect()
    }

    #[test]
    fn a_collector_gets_counters_and_histograms() {
        let (url, receiving) = collector("200 OK");
        sent(&url).unwrap();
        let (head, request) = receiving.join().unwrap();
        assert!(head.starts_with("post /v1/metrics http/1.1\n"), "{head}");
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        let [resource] = &request.resource_metrics[..] else { panic!("there is one resource") };
        let named = resource.resource.as_ref().unwrap().attributes.iter();
        assert!(named.clone().any(|it| it.key == "service.name"), "{named:?}");
        let metrics = &resource.scope_metrics[0].metrics;
        let find = |name: &str| metrics.iter().find(|it| it.name == name).expect(name);
        let calls = points(find("dialect.calls"));
        let of_find = r#"function=StringValue("find"),kind=StringValue("function")"#;
        assert!(calls.contains(&(of_find.to_owned(), 5)), "{calls:?}");
        assert_eq!(points(find("dialect.cache_hits")), [(String::new(), 3)]);
        let errors = points(find("dialect.errors"));
        assert!(errors.iter().any(|it| it.0.contains("NotFound") && it.1 == 1), "{errors:?}");
        let duration = find("dialect.duration");
        let Some(metric::Data::Histogram(histogram)) = &duration.data else { panic!("{duration:?}") };
        let counts: u64 = histogram.data_points.iter().map(|it| it.count).sum();
        assert_eq!((duration.unit.as_str(), counts), ("s", 9));
    }

    #[test]
    fn a_collector_that_refuses_or_is_not_there_is_an_error() {
        let (url, receiving) = collector("400 Bad Request");
        let refused = sent(&url).unwrap_err().to_string();
        receiving.join().unwrap();
        assert!(refused.contains("the collector did not take the metrics"), "{refused}");
        let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(sent(&format!("http://{absent}/v1/metrics")).is_err());
    }
}
