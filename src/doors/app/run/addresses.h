// SPDX-License-Identifier: Apache-2.0
// Where the files of a run are on an object store.
#pragma once

#include "base/json.h"
#include "mirror/manifest.h"
#include "objects/place.h"

namespace protium {

// A run's result with addresses on the store instead of paths in the folder that it worked in, as
// others find its files: outputs as objects, the model as an address that verbs take.
Json WithAddresses(Json result, const ObjectPlace& run, const RunManifest& manifest);

}  // namespace protium
