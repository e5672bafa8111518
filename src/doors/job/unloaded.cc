// SPDX-License-Identifier: Apache-2.0
#include "job/unloaded.h"

#include <algorithm>

#include "pipeline/estimator_kind.h"

namespace protium {

namespace {

CatalogueRow TakesAnything(const std::string& name) {
  return {.name = name,
          .help = "of an extension that was not loaded",
          .options = {},
          .complete = [](const Json& given, const std::string&) -> Result<Json> { return given; }};
}

template <class Row>
bool Holds(const std::vector<Row>& rows, const std::string& name) {
  return std::ranges::any_of(rows, [&](const Row& row) { return row.name == name; });
}

// Returns the name in `net = "wide"` or `net = { name = "wide" }`; empty if there is none.
std::string NameIn(const Json& stage, const char* key) {
  const auto found = stage.find(key);
  if (found == stage.end()) return {};
  return found->is_object() ? TextAt(*found, "name") : TextAt(stage, key);
}

class Collection {
 public:
  explicit Collection(Unloaded& unloaded) : unloaded_(unloaded) {}

  void AddNamesOf(const Json& estimator) {
    AddNet(NameIn(estimator, "net"));
    AddLoss(NameIn(estimator, "loss"));
    const auto train = estimator.find("train");
    if (train == estimator.end() || !train->is_object()) return;
    const auto metrics = train->find("metrics");
    for (const Json& each : metrics != train->end() ? *metrics : Json::array()) {
      if (each.is_string()) AddMetric(each.get<std::string>());
    }
    AddMetric(TextAt(*train, "best"));
  }

  std::shared_ptr<const Catalogue> rows() && {
    return std::make_shared<const Catalogue>(std::move(rows_));
  }

 private:
  void AddNet(const std::string& name) {
    if (name.empty() || Holds(known_.nets, name) || Holds(rows_.nets, name)) return;
    unloaded_.names.push_back("net \"" + name + "\"");
    rows_.nets.push_back({TakesAnything(name)});
  }

  void AddLoss(const std::string& name) {
    if (name.empty() || Holds(known_.losses, name)) return;
    unloaded_.names.push_back("loss \"" + name + "\"");
    unloaded_.loss = true;
  }

  void AddMetric(const std::string& name) {
    if (name.empty() || FindMetricRow(known_.metrics, name, "").ok()) return;
    if (Holds(rows_.metrics, name)) return;
    unloaded_.names.push_back("metric \"" + name + "\"");
    MetricRow row{TakesAnything(name)};
    row.kinds = {TargetKind::kValues, TargetKind::kQuantiles, TargetKind::kTwoClasses,
                 TargetKind::kFlags,  TargetKind::kClasses,   TargetKind::kRelevance};
    row.make = [](TargetKind) -> std::unique_ptr<Metric> { return nullptr; };
    rows_.metrics.push_back(std::move(row));
  }

  const Catalogue known_ = BuiltInCatalogue();
  Catalogue rows_;
  Unloaded& unloaded_;
};

}  // namespace

std::shared_ptr<const Catalogue> StandIns(const Json& pipeline, Unloaded& unloaded) {
  const Catalogue known = BuiltInCatalogue();
  Collection all(unloaded);
  for (const Json& stage : pipeline) {
    if (IsEstimator(known, stage)) all.AddNamesOf(stage);
  }
  return std::move(all).rows();
}

}  // namespace protium
