// SPDX-License-Identifier: Apache-2.0
// Shared libraries that bring nets of their own; <protium/torch.h> says how one is written.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "learn/catalogue.h"
#include "learn/torch_task.h"
#include "protium/version.h"

// Objects that cross between an extension and this library are laid out by all of these.
#define PROTIUM_TEXT_(x) #x
#define PROTIUM_TEXT(x) PROTIUM_TEXT_(x)
#define PROTIUM_BUILT_FOR \
  "protium " PROTIUM_VERSION " interface 1, g++ " PROTIUM_TEXT(__GNUC__) ", C++ " PROTIUM_TEXT(__cplusplus) ", " \
  "library ABI " PROTIUM_TEXT(_GLIBCXX_USE_CXX11_ABI)

namespace protium {

// Opens the library and gives the rows that it brings. It stays open. Fails for a file that is
// missing, no extension, or built for another version or compiler; LibTorch comes along with it.
Result<Catalogue> OpenExtension(const std::filesystem::path& file);

// Copies the library into the session's `folder`, where workers see it wherever they run. Without
// a folder it stays where it is.
Result<NetLibrary> KeepExtension(const std::filesystem::path& folder,
                                 const std::filesystem::path& file);

// Opens, in a worker, the library where the driver opened it, or its copy where that file is
// missing or another one.
Result<Catalogue> OpenExtension(const NetLibrary& library);

// `own`, which may be null, with the nets of these extensions.
Result<std::shared_ptr<const Catalogue>> WithExtensions(
    const std::shared_ptr<const Catalogue>& own, const std::vector<std::filesystem::path>& files);

}  // namespace protium
