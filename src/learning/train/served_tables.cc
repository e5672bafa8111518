// SPDX-License-Identifier: Apache-2.0
#include "train/served_tables.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "collective/disk_window.h"
#include "collective/window_files.h"
#include "format/safetensors.h"
#include "nets/id_rows.h"
#include "train/float_memory.h"
#include "train/update_rule.h"

namespace protium {
namespace {

// Rows that travel in one round, while a checkpoint is gathered or spread.
constexpr int64_t kRoundBytes = 1 << 20;

std::string_view AsText(std::span<const int64_t> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

Result<std::unique_ptr<ServedTables>> ServedTables::Begin(const ServedSpec& spec,
                                                          const ShardedRows& rows,
                                                          Communicator& communicator) {
  std::unique_ptr<ServedTables> out(new ServedTables(spec, communicator));
  PT_TRY(out->MakeNet(rows));
  PT_TRY(out->ChoosePlace());
  if (!out->serves()) return out;
  PT_LET(out->layout_, ServedLayout::Of(*out->net_, spec.optimizer, rows, spec.batch_size));
  return out;
}

Result<std::unique_ptr<ServedTables>> ServedTables::Make(const ServedSpec& spec,
                                                         const ShardedRows& rows,
                                                         Communicator& communicator) {
  std::unique_ptr<ServedTables> out;
  PT_TRY(FailTogether(Begin(spec, rows, communicator).Value(&out), communicator));
  PT_LET(out->window_, out->MakeWindow());
  PT_TRY(FailTogether(out->MakeWeights(), communicator));
  PT_TRY(out->ShareOffsets());
  return out;
}

Result<SharedPart> ServedTables::Share() const {
  SharedPart part;
  if (!serves()) return part;
  PT_LET(UniqueFd file, MakeWindowFile(disk_, layout_.bytes()));
  part.memories.push_back(std::move(file));
  part.text = AsText(TableOffsets(*net_));
  return part;
}

Status ServedTables::Open(std::vector<SharedPart> parts, bool taken) {
  std::vector<UniqueFd> files;
  for (SharedPart& each : parts) {
    files.push_back(each.memories.empty() ? UniqueFd() : std::move(each.memories.front()));
  }
  PT_LET(window_, OpenWindowFiles(rank_, files));
  shared_ = true;
  taken_ = taken;
  PT_TRY(MakeWeights());
  ListTables();
  for (size_t s = size_t(workers_); s < parts.size(); ++s) TakeOffsets(parts[s].text);
  if (!serves()) return Status::OK();
  PT_CHECK(window_->size(rank_) == layout_.bytes());
  journal_ = RowJournal(window_->own().subspan(size_t(layout_.bytes() - layout_.journal)));
  return Status::OK();
}

OptimizerPart ServedTables::optimizer_part() const {
  if (!serves()) return {};
  if (!shared_) return {.disk = disk_};
  OptimizerPart part{.begun = taken_};
  auto* const floats = reinterpret_cast<float*>(window_->own().data());
  for (int64_t i = 0; i < layout_.states; ++i) {
    const std::shared_ptr<float> state(window_, floats + layout_.weights + i * layout_.state);
    part.state.push_back(FloatMemory::Of(state, layout_.state));
  }
  return part;
}

Status ServedTables::MakeNet(const ShardedRows& rows) {
  if (serves()) {
    PT_LET(here_, places_.Of(own()));
    // A net has a row at least.
    for (const IdSet& column : here_->columns) {
      here_->room.push_back(std::max<int64_t>(1, column.count()));
    }
  } else {
    here_ = std::make_shared<IdTables>();
    here_->seed = spec_.all->seed;
    here_->columns.resize(spec_.all->columns.size());
    const int64_t most = std::max(MostStepRows(rows, spec_.batch_size), kPredictRows);
    for (const IdSet& column : spec_.all->columns) {
      here_->room.push_back(std::min(most, column.count()));
    }
    positions_.resize(here_->columns.size());
  }
  return spec_.make(here_).Value(&net_);
}

// The same on every rank: it follows from all ids and the options.
Status ServedTables::ChoosePlace() {
  PT_LET(const std::unique_ptr<UpdateRule> rule, MakeUpdateRule(spec_.optimizer));
  const auto states = int64_t(rule->state().size());
  for (const Variable& each : net_->parameters()) {
    if (each.ids < 0) continue;
    const int64_t width = each.shape[1], planes = spec_.average > 0 ? 2 : 1;
    const int64_t floats = planes * width + states * (rule->state_by_row() ? 1 : width);
    bytes_ += spec_.all->columns[size_t(each.ids)].count() * floats * int64_t(sizeof(float));
  }
  if (bytes_ > spec_.memory_bytes) disk_ = spec_.disk;
  return Status::OK();
}

Result<std::unique_ptr<Window>> ServedTables::MakeWindow() {
  const int64_t bytes = serves() ? Weights::SizeOf(*net_) * int64_t(sizeof(float)) : 0;
  if (disk_.empty()) return communicator_->MakeWindow(bytes);
  return MakeDiskWindow(disk_, bytes, *communicator_);
}

Status ServedTables::MakeWeights() {
  if (!serves()) return Weights::Make(*net_).Value(&weights_);
  const std::shared_ptr<float> memory(window_, reinterpret_cast<float*>(window_->own().data()));
  return Weights::MakeIn(memory, *net_).Value(&weights_);
}

void ServedTables::ListTables() {
  for (size_t i = 0; i < weights_->parts().size(); ++i) {
    const Variable& each = weights_->parameter(i);
    if (!each.table) continue;
    if (each.ids >= 0) {
      served_.push_back(i);
      served_tables_.push_back(tables_.size());
    }
    tables_.push_back({.parameter = i, .column = each.ids, .width = each.shape[1]});
  }
}

Status ServedTables::ShareOffsets() {
  ListTables();
  PT_LET(const auto all, communicator_->AllGather(AsText(TableOffsets(*net_))));
  for (size_t s = size_t(workers_); s < all.size(); ++s) TakeOffsets(all[s]);
  return Status::OK();
}

void ServedTables::TakeOffsets(std::string_view text) {
  std::vector<int64_t> offsets(tables_.size());
  PT_CHECK(text.size() == offsets.size() * sizeof(int64_t));
  if (!offsets.empty()) std::memcpy(offsets.data(), text.data(), text.size());
  for (size_t t = 0; t < tables_.size(); ++t) tables_[t].offsets.push_back(offsets[t]);
}

Status ServedTables::Pull(std::span<const BatchRows> batches) {
  if (serves()) return Status::OK();
  PT_TRY(Expect(batches));
  for (const Table& table : tables_) {
    if (table.column >= 0) PT_TRY(PullTable(table));
  }
  return Status::OK();
}

Status ServedTables::Expect(std::span<const BatchRows> batches) {
  for (size_t c = 0; c < here_->columns.size(); ++c) {
    here_->columns[c].Clear();
    positions_[c].clear();
    for (const BatchRows& each : batches) PT_TRY(Note(each, c));
    PT_CHECK(here_->columns[c].count() <= here_->room[c]);
  }
  return Status::OK();
}

std::vector<std::span<float>> ServedTables::OtherWeights() {
  std::vector<std::span<float>> others;
  for (size_t i = 0; i < weights_->parts().size(); ++i) {
    if (std::ranges::find(served_, i) != served_.end()) continue;
    const Weights::Part& part = weights_->parts()[i];
    others.push_back(weights_->parameters().subspan(size_t(part.offset), size_t(part.count)));
  }
  return others;
}

// Adds the ids of a column that are new in this pull.
Status ServedTables::Note(const BatchRows& rows, size_t column) {
  if (rows.size() == 0) return Status::OK();
  IdSet& here = here_->columns[column];
  const FieldRows<int32_t> ids = rows.ints(kIdsField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    const uint64_t id = IdRows::IdAt(ids, i, int64_t(column));
    if (here.Find(id) != kUnseenId) continue;
    const int32_t position = places_.all().columns[column].Find(id);
    if (position == kUnseenId) continue;
    PT_TRY(here.Add(id));
    positions_[column].push_back(position);
  }
  return Status::OK();
}

Status ServedTables::PullTable(const Table& table) {
  float* to = weights_->parameters().data() + weights_->parts()[table.parameter].offset;
  for (const int64_t position : positions_[size_t(table.column)]) {
    PT_TRY(Copy(table, position, to));
    to += table.width;
  }
  return Status::OK();
}

Status ServedTables::Copy(const Table& table, int64_t position, float* to) const {
  const auto column = size_t(table.column);
  const int32_t server = places_.server(column, position);
  const int64_t floats =
      table.offsets[size_t(server)] + places_.row(column, position) * table.width;
  const int64_t offset = floats * int64_t(sizeof(float));
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(to, size_t(table.width)));
  const std::byte* const there = window_->Direct(workers() + server);
  if (there == nullptr) return window_->Read(workers() + server, offset, bytes);
  std::memcpy(bytes.data(), there + offset, bytes.size());
  return Status::OK();
}

void ServedTables::Number(std::span<RowSubtree> own) const {
  for (RowSubtree& each : own) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      const int64_t column = tables_[t].column;
      if (column >= 0) each.tables[t].Renumber(positions_[size_t(column)]);
    }
  }
}

RowOwners ServedTables::Owners() const {
  RowOwners owners;
  for (const Table& each : tables_) owners.tables.push_back(each.column >= 0 ? 1 : 0);
  owners.of = [this](size_t table, int64_t position) {
    return workers() + places_.server(size_t(tables_[table].column), position);
  };
  return owners;
}

bool ServedTables::Moves(size_t table, int64_t position) const {
  const int64_t column = tables_[table].column;
  if (column < 0) return true;
  return serves() && places_.server(size_t(column), position) == own();
}

std::span<const SummedRows> ServedTables::Own(std::span<const SummedRows> sums) {
  own_sums_.assign(sums.size(), {});
  for (size_t t = 0; t < sums.size(); ++t) {
    const int64_t column = tables_[t].column, width = tables_[t].width;
    SummedRows& mine = own_sums_[t];
    for (size_t i = 0; i < sums[t].ids.size(); ++i) {
      const int64_t position = sums[t].ids[i];
      if (!Moves(t, position)) continue;
      mine.ids.push_back(column < 0 ? position : places_.row(size_t(column), position));
      const float* const row = sums[t].values.data() + int64_t(i) * width;
      mine.values.insert(mine.values.end(), row, row + width);
    }
  }
  return own_sums_;
}

std::vector<std::vector<RowPlane>> ServedTables::ServedPlanes(const OfRows& of_rows) const {
  std::vector<std::vector<RowPlane>> planes;
  for (const size_t t : served_tables_) planes.push_back(PlanesOf(t, of_rows));
  return planes;
}

void ServedTables::Hold(int64_t step, std::span<const SummedRows> own, const OfRows& of_rows) {
  if (!shared_ || !serves()) return;
  const auto planes = ServedPlanes(of_rows);
  std::vector<RowJournal::Rows> rows;
  for (size_t i = 0; i < planes.size(); ++i) {
    rows.push_back({.planes = planes[i], .rows = own[served_tables_[i]].ids});
  }
  journal_.Hold(step, rows);
}

void ServedTables::TakeBack(int64_t step, const OfRows& of_rows) {
  if (shared_ && serves()) journal_.PutBack(step, ServedPlanes(of_rows));
}

Result<bool> ServedTables::Step(int64_t step, Gradient gradient, std::span<const float> defined,
                                Optimizer& optimizer) {
  gradient.sum.tables = Own(gradient.sum.tables);
  Hold(step, gradient.sum.tables, {optimizer});
  PT_LET(const bool made, StepMade(optimizer.MoveRows(gradient, defined, served_tables_)));
  if (!made) return false;
  for (const size_t t : served_tables_) own_sums_[t] = {};
  return optimizer.Step(gradient, defined);
}

// Ends a step; returns whether all ranks have made it.
Result<bool> ServedTables::StepMade(bool here) {
  int64_t failed = here ? 0 : 1;
  PT_TRY(communicator_->AllReduce(AsBuffer(std::span(&failed, 1)), Op::kSum));
  return failed == 0;
}

Status ServedTables::Settle() { return communicator_->Barrier("the rows of the servers"); }

// All planes of a table, by the numbers of its rows.
std::vector<RowPlane> ServedTables::PlanesOf(size_t table, const OfRows& of_rows) const {
  std::vector<RowPlane> planes = of_rows.optimizer.RowPlanes(table);
  const WeightAverage* const average = of_rows.average;
  if (average != nullptr) planes.push_back(average->PlaneOf(tables_[table].parameter));
  return planes;
}

// What is no table of ids.
std::vector<std::span<std::byte>> ServedTables::OthersOf(const OfRows& of_rows,
                                                         Weights& weights) const {
  auto others = of_rows.optimizer.Others(served_);
  for (size_t i = 0; i < weights.parts().size() && of_rows.average != nullptr; ++i) {
    if (std::ranges::find(served_, i) != served_.end()) continue;
    others.push_back(std::as_writable_bytes(of_rows.average->Of(i)));
  }
  others.push_back(std::as_writable_bytes(weights.buffers()));
  return others;
}

Status ServedTables::ShareOthers(const OfRows& of_rows, int32_t root) {
  for (const std::span<std::byte> each : OthersOf(of_rows, *weights_)) {
    PT_TRY(communicator_->Broadcast(each, root));
  }
  return Settle();  // From here on workers may pull.
}

std::string ServedTables::OthersHash(Optimizer& optimizer) {
  std::vector<NamedTensor> tensors;
  for (const std::span<std::byte> each : OthersOf({optimizer}, *weights_)) {
    tensors.push_back({std::to_string(tensors.size()), "U8", {int64_t(each.size())}, each});
  }
  return WeightsXxh3(tensors);
}

Result<WholeNet> ServedTables::NewWhole() const {
  WholeNet whole;
  PT_LET(whole.net, spec_.make(spec_.all));
  PT_LET(const FloatMemory memory, FloatMemory::Make(Weights::SizeOf(*whole.net), disk_));
  PT_LET(whole.weights, Weights::MakeIn(memory.shared(), *whole.net));
  PT_LET(whole.optimizer,
         Optimizer::Make(spec_.optimizer, *whole.weights, {}, 1, false, {.disk = disk_}));
  if (spec_.average > 0) {
    whole.average.emplace(spec_.average, *whole.weights);
    PT_TRY(whole.average->Reserve(disk_));
  }
  return whole;
}

// The positions in [begin, end) whose rows the server holds, ascending, as its rows are.
std::vector<int64_t> ServedTables::PositionsOf(int32_t server, const Table& table, int64_t begin,
                                               int64_t end) const {
  std::vector<int64_t> out;
  for (int64_t position = begin; position < end; ++position) {
    if (places_.server(size_t(table.column), position) == server) out.push_back(position);
  }
  return out;
}

// Calls `visit`, Status(size_t table, int64_t begin, int64_t end), for all positions of all tables
// of ids, as many at a time as one round carries: the same calls on every rank.
template <class Visit>
Status ServedTables::ForRounds(const OfRows& of_rows, Visit visit) const {
  for (size_t t = 0; t < tables_.size(); ++t) {
    if (tables_[t].column < 0) continue;
    const int64_t ids = places_.all().columns[size_t(tables_[t].column)].count();
    const int64_t rows = std::max<int64_t>(1, kRoundBytes / RowBytes(PlanesOf(t, of_rows)));
    for (int64_t at = 0; at < ids; at += rows) PT_TRY(visit(t, at, std::min(ids, at + rows)));
  }
  return Status::OK();
}

// Copies what is no table of ids, between nets that differ in the number of ids.
void ServedTables::CopyOthers(const OfRows& from, Weights& from_weights, const OfRows& to,
                              Weights& to_weights) const {
  const auto source = OthersOf(from, from_weights), target = OthersOf(to, to_weights);
  PT_CHECK(source.size() == target.size());
  for (size_t i = 0; i < source.size(); ++i) std::ranges::copy(source[i], target[i].begin());
}

Result<WholeNet> ServedTables::Gather(const OfRows& of_rows) {
  WholeNet whole;
  if (leads()) {
    PT_TRY(FailTogether(NewWhole().Value(&whole), *communicator_));
    CopyOthers(of_rows, *weights_, whole.of_rows(), *whole.weights);
  }
  PT_TRY(ForRounds(of_rows, [&](size_t t, int64_t begin, int64_t end) -> Status {
    std::vector<int64_t> rows;
    if (serves()) rows = PositionsOf(own(), tables_[t], begin, end);
    for (int64_t& each : rows) each = places_.row(size_t(tables_[t].column), each);
    PT_LET(const auto all, communicator_->AllGather(PackRows(PlanesOf(t, of_rows), rows)));
    for (int32_t s = 0; s < servers() && leads(); ++s) {
      UnpackRows(all[size_t(workers() + s)], PlanesOf(t, whole.of_rows()),
                 PositionsOf(s, tables_[t], begin, end));
    }
    return Status::OK();
  }));
  return whole;
}

Status ServedTables::Spread(WholeNet* whole, const OfRows& of_rows) {
  if (leads()) CopyOthers(whole->of_rows(), *whole->weights, of_rows, *weights_);
  PT_TRY(ForRounds(of_rows, [&](size_t t, int64_t begin, int64_t end) -> Status {
    const std::vector<RowPlane> planes = PlanesOf(t, of_rows);
    const auto row_bytes = size_t(RowBytes(planes));
    std::vector<int64_t> positions(size_t(end - begin));
    for (int64_t i = begin; i < end; ++i) positions[size_t(i - begin)] = i;
    std::string packed(positions.size() * row_bytes, '\0');
    if (leads()) packed = PackRows(PlanesOf(t, whole->of_rows()), positions);
    PT_TRY(communicator_->Broadcast(std::as_writable_bytes(std::span(packed)), 0));
    if (!serves()) return Status::OK();
    for (const int64_t each : PositionsOf(own(), tables_[t], begin, end)) {
      const int64_t row = places_.row(size_t(tables_[t].column), each);
      UnpackRows(std::string_view(packed).substr(size_t(each - begin) * row_bytes, row_bytes),
                 planes, {&row, 1});
    }
    return Status::OK();
  }));
  return ShareOthers(of_rows);
}

}  // namespace protium
