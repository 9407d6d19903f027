//! Reads the values of this process for the metrics, by the names that Prometheus clients use.

use std::fmt;

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo, boot_time_secs, ticks_per_second};
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// The values of this process.
#[derive(Debug, Clone, Copy)]
struct Values {
    cpu_seconds: f64,
    start_time: f64,
    resident: f64,
    reserved: f64,
    threads: f64,
    descriptors: f64,
    /// `None` without a limit.
    most_descriptors: Option<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
fn read() -> ProcResult<Values> {
    let process = Process::myself()?;
    let stat = process.stat()?;
    let ticks = ticks_per_second() as f64;
    let most_descriptors = match process.limits()?.max_open_files.soft_limit {
        LimitValue::Value(limit) => Some(limit as f64),
        LimitValue::Unlimited => None,
    };
    Ok(Values {
        cpu_seconds: (stat.utime + stat.stime) as f64 / ticks,
        start_time: boot_time_secs()? as f64 + stat.starttime as f64 / ticks,
        resident: stat.rss_bytes().get() as f64,
        reserved: stat.vsize as f64,
        threads: stat.num_threads as f64,
        descriptors: process.fd_count()? as f64,
        most_descriptors,
    })
}

/// Writes the values. Writes nothing if `/proc` cannot be read.
pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let Ok(values) = read() else { return Ok(()) };
    let help = "User and system CPU time.";
    let mut metric = encoder.encode_descriptor("process_cpu", help, Some(&Unit::Seconds), MetricType::Counter)?;
    metric.encode_counter::<NoLabelSet, _, u64>(&values.cpu_seconds, None)?;
    let gauges = [
        ("process_start_time", "Start of the process since 1970-01-01.", Some(Unit::Seconds), Some(values.start_time)),
        ("process_resident_memory", "Resident memory.", Some(Unit::Bytes), Some(values.resident)),
        ("process_virtual_memory", "Virtual memory.", Some(Unit::Bytes), Some(values.reserved)),
        ("process_threads", "Threads.", None, Some(values.threads)),
        ("process_open_fds", "Open file descriptors.", None, Some(values.descriptors)),
        ("process_max_fds", "The maximum number of open file descriptors.", None, values.most_descriptors),
    ];
    for (name, help, unit, value) in gauges {
        let Some(value) = value else { continue };
        encoder.encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?.encode_gauge(&value)?;
    }
    Ok(())
}
