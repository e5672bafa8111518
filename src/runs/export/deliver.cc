// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "base/fault.h"
#include "export/formats.h"
#include "export/mlflow.h"
#include "export/send.h"

namespace protium {

namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Base64(const std::string& text) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  for (size_t i = 0; i < text.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = i; j < i + 3; ++j) bits = bits << 8 | (j < text.size() ? uint8_t(text[j]) : 0);
    for (size_t j = 0; j < 4; ++j) {
      made += i + j > text.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
    }
  }
  return made;
}

// The environment variables are those of MLflow's own clients.
std::map<std::string, std::string> MlflowHeaders() {
  const std::string token = Variable("MLFLOW_TRACKING_TOKEN");
  const std::string user = Variable("MLFLOW_TRACKING_USERNAME");
  if (!token.empty()) return {{"Authorization", "Bearer " + token}};
  if (user.empty()) return {};
  return {{"Authorization", "Basic " + Base64(user + ":" + Variable("MLFLOW_TRACKING_PASSWORD"))}};
}

// OTEL_EXPORTER_OTLP_HEADERS is "key=value,key=value", apart from percent-encoding.
std::map<std::string, std::string> OtlpHeaders() {
  std::map<std::string, std::string> headers;
  const std::string all = Variable("OTEL_EXPORTER_OTLP_HEADERS");
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find(',', begin), all.size());
    const std::string each = all.substr(begin, end - begin);
    const size_t equals = each.find('=');
    if (equals != each.npos && equals > 0)
      headers[each.substr(0, equals)] = each.substr(equals + 1);
    begin = end + 1;
  }
  return headers;
}

Result<Sent> SendToOtlp(const RunFacts& facts, Service& service, const std::string& uri) {
  const Exported made = WriteOtlp(facts);
  PT_LET(const ServiceAnswer answer, service.Post("/v1/traces", made.bytes));
  if (answer.status != 200) {
    // Missing or wrong credentials: a collector's are in another variable.
    Fault refused = FaultOf(service.Refused("/v1/traces", answer));
    if (!refused.fix.empty()) refused.fix = "set OTEL_EXPORTER_OTLP_HEADERS";
    return Fail(std::move(refused));
  }
  const Json partial =
      answer.body.is_object() ? answer.body.value("partialSuccess", Json()) : Json();
  Sent sent{.where = uri, .left_out = made.left_out};
  if (!TextAt(partial, "errorMessage").empty()) {
    sent.notes.push_back("the collector says: " + TextAt(partial, "errorMessage"));
  }
  return sent;
}

Result<Sent> Deliver(const SendOptions& options, const RunFacts& facts) {
  const bool mlflow = options.to == "mlflow";
  PT_LET(const auto service, Service::Make(options.uri, mlflow ? MlflowHeaders() : OtlpHeaders()));
  return mlflow ? SendToMlflow(options, facts, *service) : SendToOtlp(facts, *service, options.uri);
}

}  // namespace

}  // namespace protium

extern "C" bool protium_send_run(int32_t version, const protium::SendOptions& options,
                                 const protium::RunFacts& facts,
                                 protium::Result<protium::Sent>& sent) {
  if (version != protium::kSendLibraryVersion) return false;
  sent = protium::Deliver(options, facts);
  return true;
}
