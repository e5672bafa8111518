// SPDX-License-Identifier: Apache-2.0
// What libprotium_c.so exports, as a linker sees it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "protium/c/protium.h"

namespace {

std::string Printed(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char part[4096];
  while (const size_t read = std::fread(part, 1, sizeof(part), pipe.get())) text.append(part, read);
  return text;
}

TEST(Exports, AreTheFunctionsOfTheHeaderAlone) {
  Dl_info library{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&pt_version), &library), 0);
  const std::string listed =
      Printed(std::string("nm -D --defined-only --format=just-symbols ") + library.dli_fname);
  std::vector<std::string> strange;
  size_t functions = 0;
  for (size_t at = 0; at < listed.size();) {
    const size_t end = listed.find('\n', at);
    const std::string name = listed.substr(at, end - at);
    at = end + 1;
    if (name.starts_with("pt_")) ++functions;
    if (!name.starts_with("pt_") && !name.starts_with("PT_1")) strange.push_back(name);
  }
  EXPECT_THAT(strange, testing::IsEmpty());
  EXPECT_GT(functions, 35U);
}

}  // namespace
