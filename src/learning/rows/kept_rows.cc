// SPDX-License-Identifier: Apache-2.0
#include "rows/kept_rows.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/memfd.h"
#include "rows/mapped_store.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

struct KeptShard {
  int64_t rows = 0;
  std::string key_sum;  // 32 hexadecimal digits.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
    visit("key_sum", key_sum);
  }
};

// kept.json. The shards are those of all ranks, in order.
struct Kept {
  Json schema = Json::object();
  std::vector<KeptShard> shards;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("schema", schema);
    visit("shards", shards);
  }
};

fs::path ShardFile(const fs::path& folder, int32_t shard) {
  return folder / fmt::format("shard-{:03}", shard);
}

Status WriteShard(const ShardedRows& rows, int32_t shard, const fs::path& folder) {
  constexpr int64_t kBlockRows = 65536;
  PT_LET(AtomicFile file, AtomicFile::Make(ShardFile(folder, shard)));
  const auto scan = rows.Scan(shard);
  while (true) {
    PT_LET(const auto block, scan->Next(kBlockRows));
    if (block.empty()) return file.Commit();
    PT_TRY(file.Write(block));
  }
}

Status Changed(const fs::path& file) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "packed rows that trainings share were changed",
               .where = file.string(),
               .fix = "remove their folder and resume the run: they are packed anew"});
}

Result<Mapping> MapShard(const fs::path& file, const KeptShard& expected, int64_t width) {
  // Opened for writing as well, since Mapping::Map() maps so; nobody writes.
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return SystemFault("open " + file.string(), errno);
  std::error_code unknown;
  const int64_t bytes = expected.rows * width;
  // Checked before mapping: touching a mapping beyond the end of its file kills the process
  // (SIGBUS).
  if (int64_t(fs::file_size(file, unknown)) != bytes || unknown) return Changed(file);
  if (bytes == 0) return Mapping();
  PT_LET(Mapping rows, Mapping::Map(fd.get(), bytes));
  // The only pass over the rows that opening needs.
  if (KeySumText(ComputeIdentity(rows.bytes(), width)) != expected.key_sum) return Changed(file);
  return rows;
}

Result<Kept> ReadKept(const RowSchema& schema, size_t shards, const fs::path& folder) {
  PT_LET(const std::string text, ReadFile(folder / "kept.json"));
  PT_LET(const Json json, ParseJson(text));
  Kept kept;
  PT_TRY(FieldsFromJson(json, "kept", kept));
  const bool same = kept.schema == schema.ToJson() && kept.shards.size() == shards;
  return same ? Result<Kept>(std::move(kept)) : Changed(folder / "kept.json");
}

Result<ShardIdentity> IdentityOf(const KeptShard& shard) {
  ShardIdentity identity{.rows = shard.rows};
  // The high half first, as KeySumText() writes it. An invalid digit ends a half early.
  const auto half = [&](size_t at, uint64_t& into) {
    const char* const begin = shard.key_sum.data() + at;
    return std::from_chars(begin, begin + 16, into, 16).ptr == begin + 16;
  };
  const bool whole = shard.rows >= 0 && shard.key_sum.size() == 32 &&
                     half(0, identity.key_sum_high) && half(16, identity.key_sum_low);
  return whole ? Result<ShardIdentity>(identity) : Changed("kept.json");
}

}  // namespace

Status KeepRows(const ShardedRows& rows, bool leads, const fs::path& folder) {
  PT_TRY(MakeFolder(folder));
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (rows.owns(shard)) PT_TRY(WriteShard(rows, shard, folder));
  }
  if (!leads) return Status::OK();
  Kept kept{.schema = rows.schema().ToJson()};
  for (const ShardIdentity& each : rows.identity())
    kept.shards.push_back({each.rows, KeySumText(each)});
  return WriteFile(folder / "kept.json", Pretty(FieldsToJson(kept)));
}

Result<std::unique_ptr<ShardedRows>> OpenKeptRows(const RowSchema& schema,
                                                  const std::vector<int32_t>& first, int32_t rank,
                                                  const fs::path& folder) {
  // The count of all shards. This rank maps its own; of the others it knows the identities.
  PT_LET(const Kept kept, ReadKept(schema, size_t(first.back()), folder));
  std::vector<ShardIdentity> identity;
  for (const KeptShard& each : kept.shards) {
    PT_LET(const ShardIdentity shard, IdentityOf(each));
    identity.push_back(shard);
  }
  const ShardedRows::Owned own{first[size_t(rank)], first[size_t(rank) + 1]};
  auto store = std::make_unique<MappedStore>(schema.width());
  for (int32_t shard = own.begin; shard < own.end; ++shard) {
    const KeptShard& expected = kept.shards[size_t(shard)];
    PT_LET(Mapping rows, MapShard(ShardFile(folder, shard), expected, schema.width()));
    store->Append(std::move(rows), expected.rows);
  }
  return std::make_unique<ShardedRows>(schema, own, std::move(store), std::move(identity));
}

}  // namespace protium
