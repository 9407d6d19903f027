//! Writes metrics in the OpenMetrics and Prometheus text formats.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use restwright_runtime::ComponentStates;
use restwright_runtime::core::Configuration;
use restwright_runtime::core::report::{Report, Sample, SampleValue};
use restwright_runtime::core::runtime::log;

use super::recorder::Recorder;
use super::series::{METHODS, Series};
use crate::trace_context::instance;

/// The name of the histogram of request durations, without its unit.
const DURATION: &str = "http_server_request_duration";
const ACTIVE: &str = "http_server_active_requests";
const REQUEST_SIZE: &str = "http_server_request_body_size";
const RESPONSE_SIZE: &str = "http_server_response_body_size";
const READY: &str = "component_ready";

/// The name of the metric label for the HTTP method.
const METHOD: &str = "http_request_method";
const ROUTE: &str = "http_route";
const STATUS: &str = "http_response_status_code";
const COMPONENT: &str = "component";

type Labels<'a> = Vec<(&'static str, &'a str)>;

/// A snapshot of the values of all metrics.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) recorder: Arc<Recorder>,
    pub(super) states: ComponentStates,
    pub(super) report: Report,
    pub(super) service: Service,
}

/// The name, the version and the instance of the service.
#[derive(Debug, Clone)]
pub(super) struct Service {
    name: String,
    version: String,
    instance: String,
}

impl Service {
    /// Reads the name and the version from a configuration. The instance is random, as OpenTelemetry recommends.
    pub(super) fn new(configuration: &Configuration) -> Self {
        let (name, version) = (configuration.name().to_owned(), configuration.version().to_owned());
        Self { name, version, instance: instance().to_owned() }
    }
}

impl Snapshot {
    /// Returns the metrics in the OpenMetrics text format 1.0.
    pub(super) fn into_open_metrics(self) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self));
        let mut metrics = String::new();
        text::encode(&mut metrics, &registry)?;
        Ok(metrics)
    }

    /// Returns the metrics in the Prometheus text format 0.0.4. Unlike OpenMetrics, `# HELP` and `# TYPE` of counters
    /// include the suffix `_total`, and infos are gauges with the suffix `_info`.
    pub(super) fn into_prometheus(self) -> Result<String, fmt::Error> {
        let metrics = self.into_open_metrics()?;
        let mut lines = metrics.lines().filter(|line| !line.starts_with("# UNIT ") && *line != "# EOF").peekable();
        let mut prometheus = String::with_capacity(metrics.len());
        let mut suffix = "";
        while let Some(line) = lines.next() {
            let described = line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# TYPE "));
            if line.starts_with("# HELP ") {
                let kind = lines.peek().and_then(|next| next.strip_prefix("# TYPE ")?.split_once(' '));
                suffix = match kind {
                    Some((_, "counter")) => "_total",
                    Some((_, "info")) => "_info",
                    _ => "",
                };
            }
            match described.filter(|_| !suffix.is_empty()).and_then(|described| described.split_once(' ')) {
                Some((name, rest)) => {
                    let keyword = line.get(..7).unwrap_or_default();
                    let rest = if rest == "info" { "gauge" } else { rest };
                    writeln!(prometheus, "{keyword}{name}{suffix} {rest}")?;
                }
                None => writeln!(prometheus, "{line}")?,
            }
        }
        Ok(prometheus)
    }

    fn encode_requests(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let all = self.recorder.all();
        let help = "Durations of requests until the end of the response.";
        let mut durations = encoder.encode_descriptor(DURATION, help, Some(&Unit::Seconds), MetricType::Histogram)?;
        for series in &all {
            for (status, histogram) in series.statuses() {
                let mut labels = labels(series);
                if let Some(status) = &status {
                    labels.push((STATUS, status.as_str()));
                }
                histogram.encode(durations.encode_family(&labels)?)?;
            }
        }
        let help = "Bytes of request bodies that were read.";
        let mut sizes = encoder.encode_descriptor(REQUEST_SIZE, help, Some(&Unit::Bytes), MetricType::Histogram)?;
        for series in &all {
            if let Some(known) = series.known_sizes() {
                known.requests.encode(sizes.encode_family(&labels(series))?)?;
            }
        }
        let help = "Bytes of response bodies.";
        let mut sizes = encoder.encode_descriptor(RESPONSE_SIZE, help, Some(&Unit::Bytes), MetricType::Histogram)?;
        for series in &all {
            if let Some(known) = series.known_sizes() {
                known.responses.encode(sizes.encode_family(&labels(series))?)?;
            }
        }
        let mut active = encoder.encode_descriptor(ACTIVE, "Requests under way.", None, MetricType::Gauge)?;
        for (method, count) in METHODS.iter().zip(self.recorder.active()) {
            active.encode_family(&vec![(METHOD, *method)])?.encode_gauge(&count.get())?;
        }
        Ok(())
    }

    fn encode_problems(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Problem responses by code and reason.";
        let mut problems = encoder.encode_descriptor("problems", help, None, MetricType::Counter)?;
        for ((code, reason), count) in self.recorder.problems.all() {
            let labels: Labels<'_> = vec![("code", &*code), ("reason", reason)];
            problems.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
        }
        Ok(())
    }

    fn encode_service(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let Service { name, version, instance } = &self.service;
        let target: Labels<'_> =
            vec![("service_name", name), ("service_version", version), ("service_instance_id", instance)];
        encoder.encode_descriptor("target", "The service.", None, MetricType::Info)?.encode_info(&target)?;
        let build: Labels<'_> = vec![("version", version), ("restwright_version", env!("CARGO_PKG_VERSION"))];
        encoder.encode_descriptor("build", "The versions.", None, MetricType::Info)?.encode_info(&build)
    }

    fn encode_states(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "1 if the component, or the server, is ready, otherwise 0.";
        let mut ready = encoder.encode_descriptor(READY, help, None, MetricType::Gauge)?;
        let mut names = BTreeSet::new();
        // If several components share a name, all of them must be ready.
        for state in self.states.components().iter().filter(|state| names.insert(state.name())) {
            let mut namesakes = self.states.components().iter().filter(|other| other.name() == state.name());
            let is_ready = namesakes.all(|state| state.is_ready());
            ready.encode_family(&vec![(COMPONENT, state.name())])?.encode_gauge(&i64::from(is_ready))?;
        }
        Ok(())
    }

    /// Encodes the metrics that components report, grouped by metric name. Invalid values are left out.
    fn encode_report(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let samples = self.report.samples();
        let mut names = BTreeSet::new();
        for first in samples.iter().filter(|sample| names.insert(sample.name())) {
            if !is_name(first.name()) || first.labels().any(|(label, _)| !is_name(label) || label == COMPONENT) {
                warn_once(first);
                continue;
            }
            let help = first.description().replace(['\n', '\\'], " ");
            let kind = match first.value() {
                SampleValue::Counter(_) => MetricType::Counter,
                SampleValue::Histogram(_) => MetricType::Histogram,
                _ => MetricType::Gauge,
            };
            let mut metric = encoder.encode_descriptor(first.name(), &help, None, kind)?;
            let mut seen = BTreeSet::new();
            for sample in samples.iter().filter(|sample| sample.name() == first.name()) {
                let is_alike = std::mem::discriminant(&sample.value()) == std::mem::discriminant(&first.value())
                    && sample.labels().map(|(label, _)| label).eq(first.labels().map(|(label, _)| label));
                if !is_alike || !seen.insert((sample.component(), sample.labels().collect::<Vec<_>>())) {
                    warn_once(sample);
                    continue;
                }
                let labels: Labels<'_> = [(COMPONENT, sample.component())].into_iter().chain(sample.labels()).collect();
                let mut encoder = metric.encode_family(&labels)?;
                match sample.value() {
                    SampleValue::Counter(count) => encoder.encode_counter::<NoLabelSet, _, u64>(&count, None)?,
                    SampleValue::Gauge(value) => encoder.encode_gauge(&value)?,
                    SampleValue::Histogram(histogram) => {
                        // The encoder writes the largest number as `+Inf`.
                        let buckets: Vec<_> =
                            histogram.buckets().map(|(bound, count)| (bound.min(f64::MAX), count)).collect();
                        encoder.encode_histogram::<NoLabelSet>(histogram.sum(), histogram.count(), &buckets, None)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

impl Collector for Snapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.encode_service(&mut encoder)?;
        #[cfg(target_os = "linux")]
        super::process::encode(&mut encoder)?;
        self.encode_requests(&mut encoder)?;
        self.encode_problems(&mut encoder)?;
        self.encode_states(&mut encoder)?;
        self.encode_report(&mut encoder)
    }
}

fn labels(series: &Series) -> Labels<'_> {
    let route = series.route.as_deref().map(|route| (ROUTE, route));
    [(METHOD, series.method())].into_iter().chain(route).collect()
}

/// Returns `true` if a string is a valid name for a component's metric or label.
fn is_name(name: &str) -> bool {
    let admitted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_well_formed = name.bytes().all(admitted) && name.starts_with(|first: char| first.is_ascii_alphabetic());
    // The text format adds these suffixes itself.
    let has_suffix = ["_total", "_created", "_bucket", "_count", "_sum", "_info"].iter().any(|end| name.ends_with(end));
    is_well_formed
        && !has_suffix
        && !name.starts_with("http_server_")
        && !name.starts_with("process_")
        && ![READY, "problems", "target", "build"].contains(&name)
}

fn warn_once(sample: &Sample) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        log(|| {
            tracing::warn!(
                component = sample.component(),
                name = sample.name(),
                "a value of a component is not a valid metric: its name must consist of letters, digits and underscores, without a suffix such as `_total`, and always have the same type and label"
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, StatusCode};
    use restwright_runtime::Api;
    use restwright_runtime::core::Configuration;

    use super::super::endpoint::{MetricsFormat, Scrape};
    use super::*;

    fn is_varying(line: &str) -> bool {
        line.contains("process_") || line.starts_with("target_info{") || line.starts_with("build_info{")
    }

    fn observe(series: &Series, status: u16, seconds: f64, received: f64, sent: f64) {
        series.durations(StatusCode::from_u16(status).ok()).observe(seconds);
        series.sizes().requests.observe(received);
        series.sizes().responses.observe(sent);
    }

    #[test]
    fn requests_are_written_in_the_order_of_their_routes() {
        let recorder = Arc::new(Recorder::new());
        observe(&recorder.series("/pets/{id}", &Method::GET), 200, 0.25, 0.0, 300.0);
        observe(&recorder.series("/pets/{id}", &Method::GET), 404, 12.5, 0.0, 100.0);
        observe(&recorder.series("/files", &Method::PUT), 204, 0.001_953_125, 20_000_000.0, 0.0);
        recorder.series("/unused", &Method::GET);
        observe(recorder.unmatched(&Method::HEAD), 404, 0.5, 0.0, 0.0);
        recorder.unmatched(&Method::GET).active().unwrap().inc();
        let api = Api::builder(Configuration::new("shop", "1.0.0")).build().unwrap();
        let scrape = Scrape::new(recorder);
        scrape.begin(&api);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let metrics = runtime.block_on(scrape.read(MetricsFormat::OpenMetrics)).unwrap();
        // The values of the process and the instance differ.
        let fixed: String =
            metrics.text.lines().filter(|line| !is_varying(line)).flat_map(|line| [line, "\n"]).collect();
        assert_eq!(fixed, include_str!("exposition.txt"));
    }
}
