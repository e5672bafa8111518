// SPDX-License-Identifier: Apache-2.0
// Letters are numbers and floats one after another, each part padded to 8 bytes. Only processes of
// this program read them, and none reads beyond their ends.
#include "train/push_pull.h"

#include <algorithm>
#include <cstring>

#include "base/fault.h"

namespace protium {
namespace {

int64_t Padded(int64_t bytes) { return (bytes + 7) / 8 * 8; }

class Writer {
 public:
  explicit Writer(std::span<std::byte> box) : box_(box) {}
  template <class T>
  void Put(const T& value) {
    PutAll(std::span<const T>(&value, 1));
  }
  template <class T>
  void PutAll(std::span<const T> values) {
    std::memcpy(Room(int64_t(values.size_bytes())), values.data(), values.size_bytes());
  }
  // Room for so many bytes, which the caller fills.
  std::byte* Room(int64_t bytes) {
    PT_CHECK(bytes_ + Padded(bytes) <= int64_t(box_.size()));
    std::byte* const at = box_.data() + bytes_;
    bytes_ += Padded(bytes);
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::span<std::byte> box_;
  int64_t bytes_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> letter) : letter_(letter) {}
  template <class T>
  Status Get(T& value) {
    return GetAll(std::span<T>(&value, 1));
  }
  template <class T>
  Status GetAll(std::span<T> values) {
    std::span<const T> there;
    PT_TRY(View(int64_t(values.size()), there));
    std::memcpy(values.data(), there.data(), there.size_bytes());
    return Status::OK();
  }
  template <class T>
  Status View(int64_t count, std::span<const T>& values) {
    const auto left = int64_t(letter_.size()) - at_;
    if (count < 0 || count > left / int64_t(sizeof(T))) {
      return Fail({.exit = Exit::kBug, .what = "a letter between ranks is too short"});
    }
    values = {reinterpret_cast<const T*>(letter_.data() + at_), size_t(count)};
    at_ = std::min(at_ + Padded(count * int64_t(sizeof(T))), int64_t(letter_.size()));
    return Status::OK();
  }

 private:
  std::span<const std::byte> letter_;
  int64_t at_ = 0;
};

template <class T>
int64_t BytesOf(int64_t count) {
  return Padded(count * int64_t(sizeof(T)));
}

}  // namespace

Result<PushPull> PushPull::Make(ServedTables& served, Optimizer& optimizer,
                                Communicator& communicator) {
  PushPull out(served, optimizer);
  out.room_.resize(served.places().all().columns.size(), 0);
  for (size_t c = 0; c < out.room_.size() && !served.serves(); ++c) {
    out.room_[c] = served.room(c);
  }
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(out.room_)), Op::kMax));
  out.zeros_.resize(size_t(optimizer.layout().size), 0.0f);
  return out;
}

int64_t PushPull::OtherFloats() const {
  int64_t floats = 0;
  for (const std::span<float> each : served_.OtherWeights()) floats += int64_t(each.size());
  return floats;
}

int64_t PushPull::MostAskBytes(int32_t server) const {
  int64_t bytes = BytesOf<Ask>(1) + BytesOf<float>(int64_t(served_.weights().parts().size()));
  for (const ServedTables::Table& table : served_.tables()) {
    if (table.column < 0 && server > 0) continue;
    const int64_t rows = table.column >= 0 ? room_[size_t(table.column)]
                                           : served_.weights().parameter(table.parameter).shape[0];
    bytes += BytesOf<int64_t>(1) + BytesOf<int64_t>(rows) + BytesOf<float>(rows * table.width);
  }
  if (server > 0) return bytes;
  return bytes + BytesOf<float>(optimizer_.layout().size) +
         BytesOf<float>(int64_t(served_.weights().buffers().size()));
}

int64_t PushPull::MostAnswerBytes(int32_t server) const {
  int64_t bytes = BytesOf<Granted>(1) + BytesOf<int64_t>(1);
  for (const ServedTables::Table& table : served_.tables()) {
    if (table.column < 0) continue;
    bytes += BytesOf<float>(room_[size_t(table.column)] * table.width);
  }
  if (server > 0) return bytes;
  const auto parts = int64_t(served_.OtherWeights().size());
  return bytes + BytesOf<float>(OtherFloats()) + 8 * parts +
         BytesOf<float>(int64_t(served_.weights().buffers().size()));
}

void PushPull::Sort() {
  const IdPlaces& places = served_.places();
  wanted_.resize(size_t(places.servers()));
  for (auto& each : wanted_) {
    each.resize(room_.size());
    for (auto& column : each) column.clear();
  }
  for (size_t c = 0; c < room_.size(); ++c) {
    const std::span<const int64_t> positions = served_.positions(c);
    for (size_t slot = 0; slot < positions.size(); ++slot) {
      const auto server = size_t(places.server(c, positions[slot]));
      wanted_[server][c].push_back({places.row(c, positions[slot]), int32_t(slot)});
    }
    for (auto& each : wanted_) std::ranges::sort(each[c], {}, &Wanted::row);
  }
}

int64_t PushPull::WritePull(int32_t server, const Ask& ask, std::span<std::byte> box) const {
  Writer writer(box);
  writer.Put(ask);
  for (const std::vector<Wanted>& rows : wanted_[size_t(server)]) {
    writer.Put(int64_t(rows.size()));
    auto* to = reinterpret_cast<int64_t*>(writer.Room(int64_t(rows.size() * sizeof(int64_t))));
    for (const Wanted& each : rows) *to++ = each.row;
  }
  return writer.bytes();
}

float* PushPull::RowOf(size_t table, int64_t row) {
  const ServedTables::Table& of = served_.tables()[table];
  Weights& weights = served_.weights();
  return weights.parameters().data() + weights.parts()[of.parameter].offset + row * of.width;
}

Result<int64_t> PushPull::WritePulled(std::span<const std::byte> letter, int64_t version,
                                      std::span<std::byte> box) {
  Reader reader(letter);
  Ask ask;
  PT_TRY(reader.Get(ask));
  std::vector<std::span<const int64_t>> rows(room_.size());
  for (size_t c = 0; c < rows.size(); ++c) {
    int64_t count = 0;
    PT_TRY(reader.Get(count));
    PT_TRY(reader.View(count, rows[c]));
    const bool ours = std::ranges::all_of(
        rows[c], [&](int64_t row) { return row >= 0 && row < served_.rows(c); });
    if (!ours || count > room_[c]) {
      return Fail({.exit = Exit::kBug, .what = "a worker pulls rows that its server lacks"});
    }
  }
  Writer writer(box);
  writer.Put(version);
  if (first()) {
    for (const std::span<float> each : served_.OtherWeights()) {
      writer.PutAll(std::span<const float>(each));
    }
    writer.PutAll(std::span<const float>(served_.weights().buffers()));
  }
  for (size_t t = 0; t < served_.tables().size(); ++t) {
    const auto [parameter, column, width, offsets] = served_.tables()[t];
    if (column < 0) continue;
    const auto& wanted = rows[size_t(column)];
    auto* to = reinterpret_cast<float*>(
        writer.Room(int64_t(wanted.size()) * width * int64_t(sizeof(float))));
    for (const int64_t row : wanted) to = std::copy_n(RowOf(t, row), width, to);
  }
  return writer.bytes();
}

Status PushPull::ReadPulled(int32_t server, std::span<const std::byte> letter, int64_t& version) {
  Reader reader(letter);
  int64_t read = 0;
  PT_TRY(reader.Get(read));
  if (server == 0) {
    version = read;
    for (const std::span<float> each : served_.OtherWeights()) PT_TRY(reader.GetAll(each));
    PT_TRY(reader.GetAll(served_.weights().buffers()));
  }
  for (size_t t = 0; t < served_.tables().size(); ++t) {
    const int64_t column = served_.tables()[t].column, width = served_.tables()[t].width;
    if (column < 0) continue;
    const std::vector<Wanted>& wanted = wanted_[size_t(server)][size_t(column)];
    std::span<const float> values;
    PT_TRY(reader.View(int64_t(wanted.size()) * width, values));
    const float* from = values.data();
    for (const Wanted& each : wanted) {
      std::copy_n(from, width, RowOf(t, each.slot));
      from += width;
    }
  }
  return Status::OK();
}

int64_t PushPull::WritePush(int32_t server, const Ask& ask, const GradientSum& sum,
                            std::span<const float> defined, std::span<std::byte> box) {
  Writer writer(box);
  writer.Put(ask);
  if (server == 0) writer.PutAll(std::span<const float>(served_.weights().buffers()));
  if (!ask.moves) return writer.bytes();
  writer.PutAll(defined);
  if (server == 0) writer.PutAll(sum.whole);
  for (size_t t = 0; t < served_.tables().size(); ++t) {
    const int64_t column = served_.tables()[t].column, width = served_.tables()[t].width;
    const SummedRows& rows = sum.tables[t];
    if (column < 0) {
      if (server > 0) continue;
      writer.Put(int64_t(rows.ids.size()));
      writer.PutAll(std::span<const int64_t>(rows.ids));
      writer.PutAll(std::span<const float>(rows.values));
      continue;
    }
    at_.assign(served_.positions(size_t(column)).size(), -1);
    for (size_t i = 0; i < rows.ids.size(); ++i) at_[size_t(rows.ids[i])] = int32_t(i);
    const std::vector<Wanted>& wanted = wanted_[size_t(server)][size_t(column)];
    const auto here = [&](const Wanted& each) { return at_[size_t(each.slot)] >= 0; };
    const int64_t count = std::ranges::count_if(wanted, here);
    writer.Put(count);
    auto* ids = reinterpret_cast<int64_t*>(writer.Room(count * int64_t(sizeof(int64_t))));
    auto* values = reinterpret_cast<float*>(writer.Room(count * width * int64_t(sizeof(float))));
    for (const Wanted& each : wanted) {
      if (!here(each)) continue;
      *ids++ = each.row;
      values = std::copy_n(rows.values.data() + at_[size_t(each.slot)] * width, width, values);
    }
  }
  return writer.bytes();
}

Result<Ask> PushPull::ReadAsk(std::span<const std::byte> letter) {
  Ask ask;
  PT_TRY(Reader(letter).Get(ask));
  return ask;
}

Result<Pushed> PushPull::ReadPush(std::span<const std::byte> letter) {
  Reader reader(letter);
  Ask ask;
  PT_TRY(reader.Get(ask));
  if (first()) PT_TRY(reader.GetAll(served_.weights().buffers()));
  Pushed pushed{.tables = std::vector<SummedRows>(served_.tables().size()), .whole = zeros_};
  if (!ask.moves) return pushed;
  pushed.defined.resize(served_.weights().parts().size());
  PT_TRY(reader.GetAll(std::span(pushed.defined)));
  if (first()) PT_TRY(reader.View(optimizer_.layout().size, pushed.whole));
  std::vector<float> tables(pushed.defined.size(), 0.0f);
  for (size_t t = 0; t < pushed.tables.size(); ++t) {
    const ServedTables::Table& table = served_.tables()[t];
    if (table.column < 0 && !first()) continue;
    tables[table.parameter] = pushed.defined[table.parameter];
    int64_t count = 0;
    PT_TRY(reader.Get(count));
    std::span<const int64_t> ids;
    std::span<const float> values;
    PT_TRY(reader.View(count, ids));
    PT_TRY(reader.View(count * table.width, values));
    const int64_t rows = table.column >= 0 ? served_.rows(size_t(table.column))
                                           : served_.weights().parameter(table.parameter).shape[0];
    const auto ours = [&](int64_t id) { return id >= 0 && id < rows; };
    if (!std::ranges::all_of(ids, ours)) {
      return Fail({.exit = Exit::kBug, .what = "a worker pushes rows that its server lacks"});
    }
    pushed.tables[t] = {{ids.begin(), ids.end()}, {values.begin(), values.end()}};
  }
  if (!first()) pushed.defined = std::move(tables);
  return pushed;
}

}  // namespace protium
