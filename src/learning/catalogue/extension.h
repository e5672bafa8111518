// SPDX-License-Identifier: Apache-2.0
// Extensions: shared libraries that add their own nets, losses and metrics to job files.
// <protium/torch.h> says how to write one. An extension and this library exchange C++ objects (a
// Catalogue, NetBuilders) across dlopen, so both must be built for the same version, compiler and
// ABI.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "catalogue/catalogue.h"
#include "protium/version.h"

// Everything that determines the layout of the exchanged objects. The macro is compiled into the
// extension as well, and OpenExtension() compares the two strings before it calls anything that
// takes an object.
#define PROTIUM_TEXT_(x) #x
#define PROTIUM_TEXT(x) PROTIUM_TEXT_(x)
#define PROTIUM_BUILT_FOR \
  "protium " PROTIUM_VERSION " interface 4, g++ " PROTIUM_TEXT(__GNUC__) ", C++ " PROTIUM_TEXT(__cplusplus) ", " \
  "library ABI " PROTIUM_TEXT(_GLIBCXX_USE_CXX11_ABI)

namespace protium {

// Refuses (Exit::kInput) a file that does not exist or whose first bytes are not those of a shared
// library. Runs none of its code.
Status CheckExtensionFile(const std::filesystem::path& file);

// Opens the library and returns its rows. The library is never closed, since the rows point to its
// code. Fails with Exit::kInput for a file that is missing, is not an extension, or was built for
// another version or compiler. Extensions link LibTorch, so opening one loads it into this process,
// drivers included.
Result<Catalogue> OpenExtension(const std::filesystem::path& file);

// Returns `own`, which may be null, plus the nets, losses and metrics of these extensions; rows of
// other kinds are ignored. Fails with Exit::kUsage for a name that is already taken, also by a
// built-in row.
Result<std::shared_ptr<const Catalogue>> WithExtensions(
    const std::shared_ptr<const Catalogue>& own, const std::vector<std::filesystem::path>& files);

}  // namespace protium
