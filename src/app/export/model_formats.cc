// SPDX-License-Identifier: Apache-2.0
#include "app/export/model_formats.h"

namespace protium {

std::vector<ModelFormat> ModelFormats() { return {}; }

}  // namespace protium
