// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/fair_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr size_t kLongestName = 100;

Status CheckName(const std::string& pool) {
  const bool plain = std::ranges::none_of(pool, [](unsigned char c) { return c < 32 || c == 127; });
  if (plain && pool.size() <= kLongestName && !Trimmed(pool).empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = plain ? "\"" + pool.substr(0, kLongestName) + "\" is not the name of a pool"
                             : "the name of a pool holds control characters",
               .where = "engine.spark.pool",
               .fix = fmt::format("the name of a pool in the file that the server's "
                                  "spark.scheduler.allocation.file names, of at most {} characters",
                                  kLongestName)});
}

}  // namespace

Result<std::string> EnterPool(SparkSession& session, const std::string& pool, const Call& call) {
  PT_TRY(CheckName(pool));
  PT_TRY(session.SetConf({{"spark.scheduler.pool", pool}}, call));
  static const std::string kMode = "spark.scheduler.mode";
  PT_LET(const auto settings, session.GetConf({kMode}, call));
  const std::string mode = settings.at(kMode).value_or("FIFO");
  if (Upper(mode) == "FAIR") return std::string();
  return fmt::format(
      "engine.spark.pool = \"{}\" has no effect: the server at {} runs jobs in the order in which "
      "they come ({} is {}); start it with {}=FAIR, and weights of pools in the file of "
      "spark.scheduler.allocation.file",
      pool, session.address(), kMode, mode, kMode);
}

}  // namespace protium
