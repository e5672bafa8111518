// SPDX-License-Identifier: Apache-2.0
#include "export/send.h"

#include "os/library.h"

namespace protium {

std::span<const SentFormat> SentFormats() {
  static const SentFormat kFormats[] = {
      {"mlflow", "to an MLflow tracking server, with the model's files", "MLFLOW_TRACKING_URI"},
      {"otlp", "to a collector of OpenTelemetry", "OTEL_EXPORTER_OTLP_ENDPOINT"},
  };
  return kFormats;
}

Result<Sent> SendRun(const SendOptions& options, const RunFacts& facts) {
  const std::string file = "libprotium_export.so", needed_for = "sending runs to services";
  PT_LET(void* const entry, OpenBeside(file, "protium_send_run", needed_for, "./dev build"));
  Result<Sent> sent = Status::UnknownError("not sent");
  if (reinterpret_cast<SendEntry>(entry)(kSendLibraryVersion, options, facts, sent)) return sent;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
