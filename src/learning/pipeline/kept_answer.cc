// SPDX-License-Identifier: Apache-2.0
#include "pipeline/kept_answer.h"

#include "pipeline/kept_work.h"

namespace protium {

std::optional<Json> KeptAnswer::Find() const {
  if (session_.options().fresh) return std::nullopt;
  const KeptWork work(session_, kind_, rows_, decides_);
  if (work.name().empty()) return std::nullopt;
  const auto text = work.store()->Answer(work.name());
  if (!text) return std::nullopt;
  auto answer = ParseJson(*text);
  return answer.ok() ? std::optional(std::move(*answer)) : std::nullopt;
}

void KeptAnswer::Keep(const Json& answer) const {
  const KeptWork work(session_, kind_, rows_, decides_);
  if (!work.name().empty()) work.store()->Remember(work.name(), Dump(answer));
}

}  // namespace protium
