// SPDX-License-Identifier: Apache-2.0
// Searches whose trials the caller measures. They need no session; calls on one take turns.
#include "protium/search.h"

#include <cmath>
#include <mutex>
#include <utility>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "search/asked_lines.h"

struct pt_search {
  std::mutex mutex;
  protium::AskedSearch search;
};

namespace protium {
namespace {

Result<AskedSearch> OpenSearch(const std::string& text) {
  PT_LET(const Json json, ReadOptions(text));
  return OpenAsked(json);
}

template <class Act>
pt_error* WithSearch(pt_search* handle, Act act) noexcept {
  return Walled([&]() -> Status {
    if (handle == nullptr) return NullHandle();
    const std::lock_guard lock(handle->mutex);
    return act(handle->search);
  });
}

std::optional<double> ValueOf(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace
}  // namespace protium

using protium::AskedSearch;
using protium::Status;

extern "C" {

pt_error* pt_search_open(const char* options, pt_search** search) {
  return protium::Walled([&]() -> Status {
    PT_LET(AskedSearch opened, protium::OpenSearch(protium::TextOf(options)));
    *search = new pt_search{{}, std::move(opened)};
    return Status::OK();
  });
}

pt_error* pt_search_ask(pt_search* search, char** trial) {
  return protium::WithSearch(search, [&](AskedSearch& own) -> Status {
    PT_LET(const auto asked, own.Ask());
    protium::Json json;
    if (asked) json = {{"trial", asked->number}, {"values", asked->values}};
    *trial = protium::CopyOut(protium::Dump(json));
    return Status::OK();
  });
}

pt_error* pt_search_report(pt_search* search, int64_t trial, int64_t step, double value) {
  return protium::WithSearch(
      search, [&](AskedSearch& own) -> Status { return own.Report(trial, step, value); });
}

pt_error* pt_search_should_prune(pt_search* search, int64_t trial, int32_t* prune) {
  return protium::WithSearch(search, [&](AskedSearch& own) -> Status {
    PT_LET(*prune, own.ShouldPrune(trial));
    return Status::OK();
  });
}

pt_error* pt_search_tell(pt_search* search, int64_t trial, double value, const char* error) {
  return protium::WithSearch(search, [&](AskedSearch& own) -> Status {
    return own.Tell(trial, protium::ValueOf(value), protium::TextOf(error));
  });
}

pt_error* pt_search_tell_all(pt_search* search, int64_t trial, const char* measured) {
  return protium::WithSearch(search, [&](AskedSearch& own) -> Status {
    PT_LET(const protium::Json json, protium::ReadOptions(protium::TextOf(measured)));
    PT_LET(const auto numbers, protium::NumbersIn(json, "measured"));
    return own.TellAll(trial, numbers);
  });
}

pt_error* pt_search_table(pt_search* search, char** json) {
  return protium::WithSearch(search, [&](AskedSearch& own) -> Status {
    *json = protium::CopyOut(protium::Dump(own.Table()));
    return Status::OK();
  });
}

void pt_search_free(pt_search* search) { delete search; }

}  // extern "C"
