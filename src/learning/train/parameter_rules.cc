// SPDX-License-Identifier: Apache-2.0
#include "train/parameter_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/fault.h"
#include "tensor/norm_statistics.h"
#include "train/name_pattern.h"
#include "train/optimizer.h"

namespace protium {
namespace {

Status Refuse(const std::string& where, std::string what, std::string fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = std::move(what), .where = where, .fix = std::move(fix)});
}

// Before the last dot.
std::string NormOf(const std::string& statistic) {
  return statistic.substr(0, statistic.rfind('.') + 1);
}

// A batch norm cannot use one of its statistics and learn the other.
Status CheckBoth(const std::vector<Variable>& buffers, const std::vector<bool>& frozen,
                 const std::string& where) {
  std::map<std::string, bool> norms;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (!IsStatistic(buffers[b].name)) continue;
    const std::string norm = NormOf(buffers[b].name);
    const auto [found, fresh] = norms.emplace(norm, frozen[b]);
    if (fresh || found->second == frozen[b]) continue;
    return Refuse(where,
                  fmt::format("one of the two statistics of {} alone would be frozen",
                              norm.substr(0, norm.size() - std::min<size_t>(1, norm.size()))),
                  fmt::format("{{ name = \"{}running_*\", rate = 0 }}", norm));
  }
  return Status::OK();
}

Result<std::vector<bool>> FrozenBy(const std::vector<ParameterOptions>& options, const Net& net,
                                   const std::string& where) {
  std::vector<bool> frozen(net.buffers().size(), false);
  // From the last to the first, so that the first matching entry wins.
  for (size_t o = options.size(); o-- > 0;) {
    const ParameterOptions& entry = options[o];
    if (!NamesStatistics(entry.name, net.parameters(), net.buffers())) continue;
    if (entry.rate != 0 && entry.rate != 1) {
      return Refuse(fmt::format("{}.{}.rate", where, o),
                    fmt::format("statistics of batch norm have no rate of {:g}", entry.rate),
                    "0 freezes them, 1 lets them go on with the rows");
    }
    for (size_t b = 0; b < frozen.size(); ++b) {
      const std::string& name = net.buffers()[b].name;
      if (IsStatistic(name) && FitsPattern(entry.name, name)) frozen[b] = entry.rate == 0;
    }
  }
  PT_TRY(CheckBoth(net.buffers(), frozen, where));
  return frozen;
}

}  // namespace

Result<ParameterRules> RulesFor(const std::vector<ParameterOptions>& options, const Net& net,
                                const std::string& where) {
  ParameterRules rules;
  PT_LET(rules.rates, ParameterRates(options, net.parameters(), where, net.buffers()));
  PT_LET(rules.frozen, FrozenBy(options, net, where));
  const bool any = std::ranges::find(rules.frozen, true) != rules.frozen.end();
  if (!any || dynamic_cast<const NormalisingNet*>(&net) != nullptr) return rules;
  return Refuse(where, "the net cannot train with frozen statistics of batch norm",
                "leave out the entry that names them");
}

Result<std::vector<ParameterRules>> RulesOf(const TrainOptions& train, const Net& net) {
  std::vector<ParameterRules> rules;
  PT_LET(rules.emplace_back(), RulesFor(train.parameters, net));
  for (size_t i = 0; i < train.changes.size(); ++i) {
    PT_LET(rules.emplace_back(), RulesFor(train.changes[i].parameters, net,
                                          fmt::format("train.changes.{}.parameters", i)));
  }
  return rules;
}

void FreezeStatistics(const ParameterRules& rules, Net& net) {
  if (auto* const normalising = dynamic_cast<NormalisingNet*>(&net)) {
    normalising->FreezeStatistics(rules.frozen);
  }
}

}  // namespace protium
