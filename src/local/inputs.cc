// SPDX-License-Identifier: Apache-2.0
#include "local/inputs.h"

#include <functional>
#include <unordered_set>

#include "base/fault.h"
#include "format/csv.h"
#include "format/file.h"

namespace protium {
namespace {

using Visit = std::function<Status(const Scan&)>;

Status EachScan(const Plan& plan, std::unordered_set<const Node*>& seen, const Visit& visit) {
  if (!seen.insert(plan.get()).second) return Status::OK();
  if (const auto* scan = std::get_if<Scan>(&plan->verb)) return visit(*scan);
  for (const Plan& input : plan->inputs) PT_TRY(EachScan(input, seen, visit));
  return Status::OK();
}

}  // namespace

Status CheckFiles(const Plan& plan) {
  std::unordered_set<const Node*> seen;
  return EachScan(plan, seen, [](const Scan& scan) {
    for (const std::string& path : scan.paths) PT_TRY(FactsOf(path).status());
    return Status::OK();
  });
}

Status Sharpen(const Status& status, const Plan& plan) {
  if (status.ok() || FaultOf(status).what.find("CSV") == std::string::npos) return status;
  std::unordered_set<const Node*> seen;
  PT_TRY(EachScan(plan, seen, [](const Scan& scan) {
    return scan.format == Format::kCsv ? CheckCsv(scan.paths, scan.csv, *scan.schema)
                                       : Status::OK();
  }));
  return status;
}

}  // namespace protium
