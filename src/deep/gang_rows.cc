// SPDX-License-Identifier: Apache-2.0
#include "deep/gang_rows.h"

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rows/shared_rows.h"

// A part's text is a Header and the identities of all shards, of training rows and then of held-out
// ones; its memories are the rows of the rank's own shards, in the same order. All of it is read by
// processes of this program on this host.

namespace protium {
namespace {

struct Header {
  int64_t unseen = 0;
  int32_t begin = 0;  // The rank's own shards.
  int32_t end = 0;
  int32_t shards = 0;
  int32_t sets = 1;  // 2 with held-out rows.
};

void Append(const void* data, size_t bytes, std::string& text) {
  text.append(static_cast<const char*>(data), bytes);
}

Result<SharedPart> PartOf(RankRows& rows) {
  const ShardedRows::Owned own = rows.train->own();
  const Header header{rows.unseen, own.begin, own.end, rows.train->shards(), rows.held_out ? 2 : 1};
  SharedPart part;
  Append(&header, sizeof(header), part.text);
  for (ShardedRows* set : {rows.train.get(), rows.held_out.get()}) {
    if (set == nullptr) continue;
    const auto& identity = set->identity();
    Append(identity.data(), identity.size() * sizeof(ShardIdentity), part.text);
    PT_LET(UniqueFd memory, ShareRows(*set));
    part.memories.push_back(std::move(memory));
  }
  return part;
}

Result<Header> ReadHeader(const SharedPart& part) {
  Header header;
  if (part.text.size() < sizeof(header)) return Status::Invalid("shared rows lack their header");
  std::memcpy(&header, part.text.data(), sizeof(header));
  const bool known = header.shards >= 1 && (header.sets == 1 || header.sets == 2);
  if (!known || part.memories.size() != size_t(header.sets) ||
      part.text.size() !=
          sizeof(header) + size_t(header.sets) * size_t(header.shards) * sizeof(ShardIdentity)) {
    return Status::Invalid("shared rows do not fit their header");
  }
  return header;
}

// Training rows, or held-out ones.
Result<std::unique_ptr<ShardedRows>> MapSet(const RowSchema& schema, size_t set,
                                            const std::vector<Header>& headers,
                                            std::vector<SharedPart>& parts) {
  std::vector<ShardIdentity> identity(size_t(headers.front().shards));
  const size_t bytes = identity.size() * sizeof(ShardIdentity);
  std::memcpy(identity.data(), parts.front().text.data() + sizeof(Header) + set * bytes, bytes);
  std::vector<SharedFile> files;
  for (size_t p = 0; p < parts.size(); ++p) {
    files.push_back({std::move(parts[p].memories[set]), {headers[p].begin, headers[p].end}});
  }
  return MapRows(schema, std::move(identity), std::move(files));
}

Result<RankRows> MapParts(const RowSchema& schema, std::vector<SharedPart> parts) {
  if (parts.empty()) return Status::Invalid("nobody has shared rows");
  std::vector<Header> headers;
  for (const SharedPart& part : parts) {
    PT_LET(const Header header, ReadHeader(part));
    headers.push_back(header);
  }
  RankRows rows{.unseen = headers.front().unseen};
  PT_LET(rows.train, MapSet(schema, 0, headers, parts));
  if (headers.front().sets == 1) return rows;
  PT_LET(rows.held_out, MapSet(schema, 1, headers, parts));
  return rows;
}

}  // namespace

Result<RankRows> ShareRankRows(RankRows own, GangMembership& gang) {
  const RowSchema schema = own.train->schema();
  const bool packed = own.packed;
  PT_LET(SharedPart part, PartOf(own));
  // Gone before the shared ones are mapped: they would be in memory twice.
  own = {};
  PT_LET(std::vector<SharedPart> parts, gang.Share(std::move(part)));
  PT_LET(RankRows rows, MapParts(schema, std::move(parts)));
  rows.packed = packed;
  return rows;
}

Result<RankRows> JoinRankRows(const RowSchema& schema, GangMembership& gang) {
  PT_LET(std::vector<SharedPart> parts, gang.Share({}));
  return MapParts(schema, std::move(parts));
}

}  // namespace protium
