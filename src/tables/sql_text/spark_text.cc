// SPDX-License-Identifier: Apache-2.0
#include "sql_text/spark_text.h"

#include "sql_text/foreign_forms.h"
#include "sql_text/spark_reader.h"

namespace protium {

Result<DuckText> FromSpark(const std::string& sql) {
  Spelling spelling(sql);
  PT_TRY(spelling.Check());
  PT_TRY(RefuseForeignForms(spelling));
  PT_TRY(SparkReader(spelling).Run());
  return spelling.Write();
}

}  // namespace protium
