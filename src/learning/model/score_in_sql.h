// SPDX-License-Identifier: Apache-2.0
// SQL that scores: the table function score('model', rows), resolved before engines see the text.
#pragma once

#include <string>

#include "protium/session.h"

namespace protium {

// Session::Sql() for a text in which score('MODEL', rows) may be used as a table:
//   SELECT id, prediction FROM score('runs/1/model', (SELECT * FROM t WHERE open)) WHERE prediction
//   > 5
// MODEL is a model folder, relative to the session's base; rows are a SELECT in parentheses or the
// name of a table. The call returns the rows with the model's predictions, computed like
// Transform(), on any engine. Other uses of the name are refused (Exit::kUsage); failures wait in
// the frame.
DataFrame SqlWithModels(Session& session, std::string text);

}  // namespace protium
