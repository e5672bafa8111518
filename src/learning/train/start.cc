// SPDX-License-Identifier: Apache-2.0
#include "train/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <set>

#include "base/fault.h"
#include "format/safetensors.h"
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

Status CopyTensor(const Safetensors& file, const NamedTensor& to, const std::string& model) {
  const NamedTensor* const from = file.Find(to.name);
  if (from != nullptr && from->dtype == to.dtype && from->shape == to.shape) {
    std::memcpy(const_cast<std::byte*>(to.data.data()), from->data.data(), to.data.size());
    return Status::OK();
  }
  const auto shape = [](const NamedTensor& tensor) {
    return fmt::format("{} [{}]", tensor.dtype, fmt::join(tensor.shape, ", "));
  };
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the weights of the model {} do not fit the net", model),
               .where = kWhere,
               .why = from == nullptr ? fmt::format("it has no {}", to.name)
                                      : fmt::format("its {} is {}, the net's is {}", to.name,
                                                    shape(*from), shape(to)),
               .fix = "name the parameters to take: from = { model = \"...\", parameters = "
                      "[\"embedding.*\"] }"});
}

}  // namespace

Status StartFrom(const StartOptions& from, const std::vector<Variable>& parameters,
                 Weights& weights) {
  PT_LET(const Safetensors file, Safetensors::Read(from.weights));
  if (WeightsSha256(file.tensors()) != from.sha256) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights to start from have changed: " + from.weights,
                 .where = kWhere,
                 .why = "the sha256 of their tensors differs"});
  }
  PT_LET(const std::set<std::string> taken, NamesTaken(from, parameters));
  for (const NamedTensor& to : weights.Tensors()) {
    if (taken.empty() || taken.contains(to.name)) PT_TRY(CopyTensor(file, to, from.model));
  }
  return Status::OK();
}

}  // namespace protium
