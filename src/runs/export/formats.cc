// SPDX-License-Identifier: Apache-2.0
#include "export/formats.h"

namespace protium {

std::span<const RunFormat> RunFormats() {
  static const RunFormat kFormats[] = {
      {"tensorboard", ".tfevents", "an event file of TensorBoard: scalars, text, hparams", false,
       WriteTensorBoard},
      {"prometheus", ".prom", "Prometheus text: the latest metrics of the run", true,
       WritePrometheus},
      {"csv", ".csv", "every point of every curve, one per line", true, WriteCsv},
      {"jsonl", ".jsonl", "the same as JSON lines, after settings and results", true,
       WriteJsonLines},
      {"trace", ".trace.json", "a timeline for Perfetto and chrome://tracing", true, WriteTrace},
      {"otlp", ".otlp.json", "an OpenTelemetry trace, as OTLP/HTTP (JSON)", true, WriteOtlp},
      {"optuna", ".journal", "a search as an Optuna study, for optuna-dashboard", true,
       WriteOptuna},
      {"openmetrics", ".om", "OpenMetrics text: the latest metrics of the run", true,
       WriteOpenMetrics},
  };
  return kFormats;
}

}  // namespace protium
