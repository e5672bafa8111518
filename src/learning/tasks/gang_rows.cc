// SPDX-License-Identifier: Apache-2.0
#include "tasks/gang_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/seasons.h"
#include "rows/shared_rows.h"
#include "rows/window_rows.h"

// A part's text is a Header and the identities of all shards, first of training rows and then of
// held-out ones; its memories are the rows of the rank's own shards, in the same order, in memory
// or in a file on the disk. What else a rank gives follows behind both. Only processes of this
// program read it.

namespace protium {
namespace {

struct Header {
  int64_t unseen = 0;
  int64_t disk_bytes = 0;  // As in RankRows.
  int32_t begin = 0;       // The rank's own shards.
  int32_t end = 0;
  int32_t shards = 0;
  int32_t sets = 1;     // 2 with held-out rows.
  int32_t on_disk = 0;  // Bit s: the rows of set s.
  int64_t more = 0;     // Bytes of text that follow.
  bool OnDisk(size_t set) const { return (on_disk >> set & 1) != 0; }
};

void Append(const void* data, size_t bytes, std::string& text) {
  text.append(static_cast<const char*>(data), bytes);
}

Result<SharedPart> PartOf(RankRows& rows, SharedPart more) {
  const ShardedRows::Owned own = rows.train->own();
  Header header{.unseen = rows.unseen,
                .disk_bytes = rows.disk_bytes,
                .begin = own.begin,
                .end = own.end,
                .shards = rows.train->shards(),
                .more = int64_t(more.text.size())};
  SharedPart part;
  std::string identities;
  for (ShardedRows* set : {rows.train.get(), rows.held_out.get()}) {
    if (set == nullptr) continue;
    const auto& identity = set->identity();
    Append(identity.data(), identity.size() * sizeof(ShardIdentity), identities);
    PT_LET(SharedFile shared, ShareRows(*set));
    if (shared.on_disk) header.on_disk |= 1 << part.memories.size();
    part.memories.push_back(std::move(shared.file));
  }
  header.sets = int32_t(part.memories.size());
  Append(&header, sizeof(header), part.text);
  part.text += identities + more.text;
  std::ranges::move(more.memories, std::back_inserter(part.memories));
  return part;
}

// What a rank gave besides its rows.
SharedPart MoreOf(const Header& header, SharedPart& part) {
  SharedPart more{.text = part.text.substr(part.text.size() - size_t(header.more))};
  const auto first = part.memories.begin() + header.sets;
  more.memories.assign(std::move_iterator(first), std::move_iterator(part.memories.end()));
  part.memories.erase(first, part.memories.end());
  return more;
}

Result<Header> ReadHeader(const SharedPart& part) {
  Header header;
  if (part.text.size() < sizeof(header)) return Status::Invalid("shared rows lack their header");
  std::memcpy(&header, part.text.data(), sizeof(header));
  const bool known = header.shards >= 1 && (header.sets == 1 || header.sets == 2);
  if (!known || header.more < 0 || part.memories.size() < size_t(header.sets) ||
      part.text.size() != sizeof(header) + size_t(header.more) +
                              size_t(header.sets) * size_t(header.shards) * sizeof(ShardIdentity)) {
    return Status::Invalid("shared rows do not fit their header");
  }
  return header;
}

// The parts that all ranks have shared.
struct SharedParts {
  std::vector<Header> headers;
  std::vector<SharedPart> parts;
  std::vector<std::vector<ShardIdentity>> identities;  // By set.
};

Result<SharedParts> ReadParts(std::vector<SharedPart> parts) {
  if (parts.empty()) return Status::Invalid("nobody has shared rows");
  SharedParts all{.parts = std::move(parts)};
  for (const SharedPart& part : all.parts) {
    PT_LET(const Header header, ReadHeader(part));
    all.headers.push_back(header);
  }
  const Header& first = all.headers.front();
  const char* from = all.parts.front().text.data() + sizeof(Header);
  for (int32_t set = 0; set < first.sets; ++set) {
    std::vector<ShardIdentity> identity(size_t(first.shards));
    std::memcpy(identity.data(), from, identity.size() * sizeof(ShardIdentity));
    from += identity.size() * sizeof(ShardIdentity);
    all.identities.push_back(std::move(identity));
  }
  return all;
}

// The layouts of training rows and of held-out ones.
using Layouts = std::array<RowSchema, 2>;

int64_t BytesInMemory(const SharedParts& all, const Layouts& layouts) {
  int64_t bytes = 0;
  for (const Header& header : all.headers) {
    for (size_t set = 0; set < all.identities.size(); ++set) {
      if (header.OnDisk(set)) continue;
      for (int32_t s = header.begin; s < header.end; ++s)
        bytes += all.identities[set][size_t(s)].rows * layouts[set].width();
    }
  }
  return bytes;
}

// Shards share what rows in memory leave of engine.rows_memory, whichever rank owns them.
FilePass PassFor(const TrainConfig& config, const SharedParts& all, const Layouts& layouts) {
  const int64_t left = config.memory_bytes - BytesInMemory(all, layouts);
  return {.bytes = std::max<int64_t>(left, 0) / all.headers.front().shards,
          .disk = ScratchFolder(config)};
}

Result<std::unique_ptr<ShardedRows>> OpenSet(const RowSchema& schema, size_t set,
                                             const FilePass& pass, SharedParts& all) {
  std::vector<SharedFile> files;
  for (size_t p = 0; p < all.parts.size(); ++p) {
    const Header& header = all.headers[p];
    files.push_back({.file = std::move(all.parts[p].memories[set]),
                     .on_disk = header.OnDisk(set),
                     .shards = {header.begin, header.end}});
  }
  return OpenSharedRows(schema, all.identities[set], std::move(files), pass);
}

Result<GangRows> OpenParts(const RowSchema& schema, const TrainConfig& config,
                           std::vector<SharedPart> parts) {
  PT_LET(SharedParts all, ReadParts(std::move(parts)));
  const Header& first = all.headers.front();
  const Layouts layouts = {schema, WithOwnLabels(schema, ScaleColumns(config.seasons))};
  const FilePass pass = PassFor(config, all, layouts);
  GangRows out{.rows = {.unseen = first.unseen, .disk_bytes = first.disk_bytes}};
  for (size_t p = 0; p < all.parts.size(); ++p) {
    out.more.push_back(MoreOf(all.headers[p], all.parts[p]));
  }
  PT_LET(out.rows.train, OpenSet(layouts[0], 0, pass, all));
  if (first.sets == 1) return out;
  PT_LET(out.rows.held_out, OpenSet(layouts[1], 1, pass, all));
  return out;
}

}  // namespace

Result<GangRows> ShareRankRows(RankRows own, SharedPart more, const TrainConfig& config,
                               GangMembership& gang) {
  const RowSchema schema = own.train->schema();
  const bool packed = own.packed;
  PT_LET(SharedPart part, PartOf(own, std::move(more)));
  // Freed before the shared ones are opened, so that they are not in memory twice.
  own = {};
  PT_LET(std::vector<SharedPart> parts, gang.Share(std::move(part)));
  PT_LET(GangRows out, OpenParts(schema, config, std::move(parts)));
  out.rows.packed = packed;
  return out;
}

Result<GangRows> JoinRankRows(const RowSchema& schema, const TrainConfig& config,
                              GangMembership& gang) {
  PT_LET(std::vector<SharedPart> parts, gang.Share({}));
  return OpenParts(schema, config, std::move(parts));
}

Result<RankRows> LoadRankRows(const TrainConfig& config, const NetInputs& inputs,
                              TaskContext& context, GangMembership* gang) {
  if (gang != nullptr && gang->newcomer()) {
    PT_LET(GangRows joined, JoinRankRows(inputs.rows, config, *gang));
    return std::move(joined.rows);
  }
  PT_LET(Communicator * communicator, CommunicatorOf(context));
  PT_LET(RankRows rows, MakeRankRows(config, inputs, context, *communicator));
  if (gang == nullptr && config.train.asynchronous()) {
    PT_LET(rows.train,
           MoveToWindows(std::move(rows.train),
                         ShardOwners(config.train.shards, communicator->world(), config.servers),
                         *communicator));
  }
  if (gang == nullptr) return rows;
  PT_LET(GangRows shared, ShareRankRows(std::move(rows), {}, config, *gang));
  return std::move(shared.rows);
}

}  // namespace protium
