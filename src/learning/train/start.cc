// SPDX-License-Identifier: Apache-2.0
#include "train/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <set>

#include "base/fault.h"
#include "format/safetensors.h"
#include "tensor/guard.h"
#include "tensor/id_tables.h"
#include "tensor/philox.h"
#include "train/name_pattern.h"

namespace protium {
namespace {

constexpr const char* kWhere = "train.from";

// Empty: all tensors are taken. With patterns it is never empty, since every pattern matches at
// least one (FindByPattern()).
Result<std::set<std::string>> NamesTaken(const StartOptions& from,
                                         const std::vector<Variable>& parameters) {
  std::set<std::string> names;
  for (size_t i = 0; i < from.parameters.size(); ++i) {
    PT_LET(const auto found, FindByPattern(from.parameters[i], parameters,
                                           fmt::format("{}.parameters.{}", kWhere, i)));
    for (const size_t each : found) names.insert(parameters[each].name);
  }
  return names;
}

// The names in the file, so that a user sees what another program calls its tensors.
std::string NamesIn(const Safetensors& file) {
  constexpr size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const NamedTensor& each : file.tensors()) {
    if (names.size() < kMostNamed) names.push_back(each.name);
  }
  const size_t more = file.tensors().size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : std::string());
}

Status Misfit(const Safetensors& file, const NamedTensor& to, const std::string& model) {
  const NamedTensor* const from = file.Find(to.name);
  const auto shape = [](const NamedTensor& tensor) {
    return fmt::format("{} [{}]", tensor.dtype, fmt::join(tensor.shape, ", "));
  };
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("the weights of the model {} do not fit the net", model),
       .where = kWhere,
       .why = from == nullptr
                  ? fmt::format("it has no {}; its tensors are {}", to.name, NamesIn(file))
                  : fmt::format("its {} is {}, the net's is {}", to.name, shape(*from), shape(to)),
       .fix = "name the parameters to take: from = { model = \"...\", parameters = "
              "[\"embedding.*\"] }; protium import --rename gives tensors other names"});
}

Status CopyTensor(const Safetensors& file, const NamedTensor& to, const std::string& model) {
  const NamedTensor* const from = file.Find(to.name);
  if (from == nullptr || from->dtype != to.dtype || from->shape != to.shape) {
    return Misfit(file, to, model);
  }
  std::memcpy(const_cast<std::byte*>(to.data.data()), from->data.data(), to.data.size());
  return Status::OK();
}

// A table whose rows belong to the ids `mine`: those that the model has, too, go on; others stay as
// they begin.
Status CopyRows(const Safetensors& file, const IdSet& theirs, std::span<const uint64_t> mine,
                const NamedTensor& to, const std::string& model) {
  const NamedTensor* const from = file.Find(to.name);
  if (from == nullptr || from->dtype != to.dtype || from->shape.size() != 2 ||
      from->shape[0] != theirs.count() || from->shape[1] != to.shape[1]) {
    return Misfit(file, to, model);
  }
  const size_t bytes = size_t(to.shape[1]) * sizeof(float);
  std::byte* row = const_cast<std::byte*>(to.data.data());
  for (const uint64_t id : mine) {
    const int32_t at = theirs.Find(id);
    if (at != kUnseenId) std::memcpy(row, from->data.data() + size_t(at) * bytes, bytes);
    row += bytes;
  }
  return Status::OK();
}

Status StartFrom(const StartOptions& from, const Net& net, Weights& weights) {
  const std::vector<Variable>& parameters = net.parameters();
  PT_LET(const Safetensors file, ReadStart(from));
  PT_LET(const std::set<std::string> taken, NamesTaken(from, parameters));
  const std::shared_ptr<const IdTables> mine = net.ids();
  std::shared_ptr<const IdTables> theirs;
  const std::vector<NamedTensor> tensors = weights.Tensors();
  // Behind them are the net's constants.
  for (size_t i = 0; i < parameters.size() + net.buffers().size(); ++i) {
    const NamedTensor& to = tensors[i];
    if (!taken.empty() && !taken.contains(to.name)) continue;
    const int64_t ids = i < parameters.size() ? parameters[i].ids : -1;
    if (ids < 0) {
      PT_TRY(CopyTensor(file, to, from.model));
      continue;
    }
    if (!theirs) {
      PT_LET(theirs, IdTables::Read(file, mine->columns.size(), from.model));
    }
    const auto column = size_t(ids);
    PT_TRY(CopyRows(file, theirs->columns[column], mine->columns[column].ids(), to, from.model));
  }
  return Status::OK();
}

Status DrawOrRead(const TrainOptions& train, const TrainInput& input) {
  PT_TRY(Guard("initialising the net", [&] {
    input.net.Initialise(DrawKey(DrawTag::kInitialise, {uint64_t(train.seed)}));
    input.weights.Download();
  }));
  if (train.from.weights.empty()) return Status::OK();
  return StartFrom(train.from, input.net, input.weights);
}

}  // namespace

Result<Safetensors> ReadStart(const StartOptions& from) {
  PT_LET(Safetensors file, Safetensors::Read(from.weights));
  if (WeightsSha256(file.tensors()) == from.sha256) return file;
  return Fail({.exit = Exit::kInput,
               .what = "the weights to start from have changed: " + from.weights,
               .where = kWhere,
               .why = "the sha256 of their tensors differs"});
}

Status Initialise(const TrainOptions& train, const TrainInput& input, Optimizer& optimizer) {
  // The rows of ids begin alike wherever they are.
  const bool serves = input.served != nullptr && input.served->serves();
  if (input.communicator->rank() == 0 || serves) {
    PT_TRY(FailTogether(DrawOrRead(train, input), *input.communicator));
  }
  if (input.served != nullptr) return input.served->ShareOthers({optimizer});
  PT_TRY(input.communicator->Broadcast(std::as_writable_bytes(input.weights.parameters()), 0));
  return input.communicator->Broadcast(std::as_writable_bytes(input.weights.buffers()), 0);
}

}  // namespace protium
