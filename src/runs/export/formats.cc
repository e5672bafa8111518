// SPDX-License-Identifier: Apache-2.0
#include "export/formats.h"

namespace protium {

std::span<const RunFormat> RunFormats() {
  static const RunFormat kFormats[] = {
      {"tensorboard", ".tfevents", "an event file of TensorBoard: scalars, text, hparams", false,
       WriteTensorBoard},
      {"prometheus", ".prom", "Prometheus text: what the run has reached", true, WritePrometheus},
      {"csv", ".csv", "every point of every curve, a line each", true, WriteCsv},
      {"jsonl", ".jsonl", "the same as JSON lines, settings and results first", true,
       WriteJsonLines},
      {"trace", ".trace.json", "a time line for Perfetto and chrome://tracing", true, WriteTrace},
      {"otlp", ".otlp.json", "a trace of OpenTelemetry, as OTLP/HTTP sends it (JSON)", true,
       WriteOtlp},
      {"optuna", ".journal", "a search as a study of Optuna, for optuna-dashboard", true,
       WriteOptuna},
      {"openmetrics", ".om", "OpenMetrics text: what the run has reached", true, WriteOpenMetrics},
  };
  return kFormats;
}

}  // namespace protium
