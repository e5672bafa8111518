// SPDX-License-Identifier: Apache-2.0
// Makes the row of a kind of stage: the header that the file of a stage includes. Public API.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "stages/catalogue_row.h"
#include "stages/stage.h"

namespace protium {

// Makes a row whose stage is constructed as `S(const Options&, StageNames)`.
template <class S, class Options>
StageRow MakeStageRow(std::string name, std::string help) {
  const auto make = [](const Json& json, StageNames names) -> Result<std::unique_ptr<Stage>> {
    Options options;
    PT_TRY(FieldsFromJson(json, names.id, options));
    return std::make_unique<S>(options, std::move(names));
  };
  return {MakeRow<Options>(std::move(name), std::move(help)), make};
}

}  // namespace protium
