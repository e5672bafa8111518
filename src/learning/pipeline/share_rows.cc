// SPDX-License-Identifier: Apache-2.0
#include "pipeline/share_rows.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/digest.h"
#include "engine/kind.h"
#include "run/remove.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// A name for packed rows, from everything that determines their bytes and shards. The net and what
// only training reads do not count. For stages, both options and what they learned count: many
// learn nothing.
std::string NameOfRows(const Chain& chain, const Plan& table, const TrainConfig& config) {
  Json stages = Json::array();
  for (size_t i = 0; i < chain.stages.size(); ++i) {
    stages.push_back({chain.options[i].kind, chain.options[i].options.ToJson()});
  }
  Json columns = FieldsToJson(config.net);
  columns.erase("net");
  constexpr int kLayout = 2;  // Of packed rows: rows of another layout are packed again.
  // Rows of forests may lack cells.
  const Json decides = {{"layout", kLayout},
                        {"task", chain.estimator->kind->task()},
                        {"table", Explain(table)},
                        {"stages", stages},
                        {"learned", config.stages_sha256},
                        {"columns", columns},
                        {"weight", config.weight},
                        {"held_out", config.held_out},
                        {"unseen_class", fields::Write(config.unseen_class)},
                        {"shards", config.train.shards}};
  return Sha256Hex(Dump(decides)).substr(0, 32);
}

}  // namespace

SharedRows SharedWith(SessionState& session, const Chain& chain, const Plan& table,
                      const TrainConfig& config) {
  const SharedRowsFolder& shared = session.options().shared_rows;
  const bool here = KindOf(session.engine().address()).runs_here;
  if (shared.path.empty() || !here) return {};
  const fs::path folder = fs::absolute(shared.path) / NameOfRows(chain, table, config);
  std::error_code error;
  const bool there = fs::exists(folder, error);
  const int64_t left = shared.most_bytes - FolderBytes(shared.path);
  return {.folder = folder.string(), .there = there, .most_bytes = std::max(left, int64_t{0})};
}

}  // namespace protium
