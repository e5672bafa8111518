// SPDX-License-Identifier: Apache-2.0
// bench_tree_shap FOLDER: explains the rows of FOLDER, which `peers/tree_shap.py FOLDER` has made,
// in one thread, many at a time and one by one; first compares each number with that of the package
// shap.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "format/safetensors.h"
#include "trees/explain.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

constexpr int kTimes = 9;
// The peer reads leaves as float32 and adds them up in another order.
constexpr double kClose = 1e-5;

// Returns the tensor as a copy: data in the file may be unaligned.
template <class T>
Result<std::vector<T>> Read(const Safetensors& file, const std::string& name) {
  const NamedTensor* const tensor = file.Find(name);
  if (tensor == nullptr) return Fail({.exit = Exit::kInput, .what = "there is no tensor " + name});
  std::vector<T> values(tensor->data.size() / sizeof(T));
  std::memcpy(values.data(), tensor->data.data(), values.size() * sizeof(T));
  return values;
}

// Of this thread alone, so that others on its core do not count.
double Micros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}

void Print(const std::string& figure, std::vector<double> micros) {
  std::ranges::sort(micros);
  fmt::print("{}\n", Dump(Json{{"figure", figure},
                               {"value", micros[micros.size() / 2]},
                               {"unit", "us"},
                               {"times", micros.size()}}));
}

Status Measure(const std::filesystem::path& folder) {
  PT_LET(const Safetensors model, Safetensors::Read(folder / "forest.safetensors"));
  PT_LET(const Safetensors made, Safetensors::Read(folder / "rows.safetensors"));
  PT_LET(const std::vector<float> rows, Read<float>(made, "rows"));
  PT_LET(const std::vector<double> wanted, Read<double>(made, "shap"));
  const size_t width = size_t(made.Find("rows")->shape.at(1)), count = rows.size() / width;
  PT_LET(const Forest forest,
         ForestOf(model, std::vector<ForestColumn>(width), folder / "forest.safetensors"));
  const ForestExplainer explainer(forest);
  std::vector<double> got(rows.size()), together, alone;
  for (int i = 0; i < kTimes; ++i) {
    const double begun = Micros();
    explainer.Explain(rows, got);
    together.push_back((Micros() - begun) / double(count));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - wanted[i]) < kClose) continue;
    return Fail({.exit = Exit::kFailed,
                 .what = fmt::format("row {}, column {}: {}, but shap has {}", i / width, i % width,
                                     got[i], wanted[i])});
  }
  for (size_t row = 0; row < count; ++row) {
    const double begun = Micros();
    explainer.Explain(std::span(rows).subspan(row * width, width),
                      std::span(got).subspan(row * width, width));
    alone.push_back(Micros() - begun);
  }
  Print("a row explained", together);
  Print("a row explained by itself", alone);
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "bench_tree_shap FOLDER\n");
    return 2;
  }
  const protium::Status status = protium::Measure(argv[1]);
  if (!status.ok()) fmt::print(stderr, "{}", protium::Render(protium::FaultOf(status)));
  return status.ok() ? 0 : 1;
}
