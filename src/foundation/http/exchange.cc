// SPDX-License-Identifier: Apache-2.0
#include "http/exchange.h"

#include "base/fault.h"

namespace protium {

namespace {

const std::string kNoText;

}  // namespace

const std::string& HttpRequest::Header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? kNoText : found->second;
}

const std::string& HttpRequest::Parameter(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? kNoText : found->second;
}

HttpResponse JsonResponse(const Json& json) { return {.body = Dump(json)}; }

HttpResponse Refusal(int status, Fault fault) {
  HttpResponse response = JsonResponse({{"error", StatusToJson(Fail(std::move(fault)))}});
  response.status = status;
  return response;
}

}  // namespace protium
