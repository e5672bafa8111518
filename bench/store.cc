// SPDX-License-Identifier: Apache-2.0
// bench_store: how long it takes to find an object among 1,000 in the store, and to keep a small
// one; medians, one JSON line for each figure.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "os/temporary_folder.h"
#include "store/local_store.h"

namespace protium {
namespace {

constexpr int kObjects = 1000;
constexpr int64_t kBytes = 4096;

double Micros(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

void Print(const char* name, std::vector<double> micros) {
  std::ranges::sort(micros);
  fmt::print("{}\n",
             Dump(Json{{"figure", name}, {"value", micros[micros.size() / 2]}, {"unit", "us"}}));
}

Status Keep(LocalStore& store, int number) {
  PT_LET(FoundOrDraft begun,
         store.FindOrBegin({.kind = "bytes", .causes = {{"number", number}}, .run = "bench"}, {}));
  auto* const draft = std::get_if<Draft>(&begun);
  if (draft == nullptr) return Status::Invalid("the object was there already");
  PT_TRY(draft->AddPart("bytes", kBytes).status());
  return draft->Commit({.seconds = 1}).status();
}

// Until the object is open, with a lease, and every part is known.
Status Find(LocalStore& store, int number) {
  PT_LET(const auto found, store.Find(CauseName("bytes", {{"number", number}})));
  if (found && found->manifest().bytes == kBytes) return Status::OK();
  return Status::Invalid("an object was not found");
}

Result<std::vector<double>> Times(LocalStore& store, Status (*call)(LocalStore&, int)) {
  std::vector<double> times;
  for (int number = 0; number < kObjects; ++number) {
    const auto begun = Clock::now();
    PT_TRY(call(store, number));
    times.push_back(Micros(begun));
  }
  return times;
}

Status Run() {
  PT_LET(const auto folder, TemporaryFolder::Make());
  PT_LET(const auto store, LocalStore::Open({.folder = folder.path() / "store"}));
  PT_LET(std::vector<double> kept, Times(*store, Keep));
  PT_LET(std::vector<double> found, Times(*store, Find));
  Print("keep a small object", std::move(kept));
  Print("find an object", std::move(found));
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main() {
  const auto status = protium::Run();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.ToString());
  return status.ok() ? 0 : 1;
}
