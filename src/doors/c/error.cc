// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/fault.h"
#include "c/handles.h"
#include "protium/version.h"

namespace protium {
namespace {

// Allocated in advance, because there is no memory when it is needed. Never freed.
pt_error& NoMemory() {
  static const Fault kFault = {.exit = Exit::kNoRoom, .what = "out of memory"};
  static pt_error error{kFault, Render(kFault)};
  return error;
}

[[maybe_unused]] const pt_error& made_early = NoMemory();

}  // namespace

pt_error* OutOfMemory() noexcept { return &NoMemory(); }

pt_error* ErrorFrom(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    Fault fault = FaultOf(status);
    std::string text = Render(fault);
    return new pt_error{std::move(fault), std::move(text)};
  } catch (const std::exception&) {
    return OutOfMemory();
  }
}

char* CopyOut(const std::string& text) {
  char* const copy = new char[text.size() + 1];
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace protium

extern "C" {

int32_t pt_abi_version(void) { return PT_ABI_VERSION; }
const char* pt_version(void) { return PROTIUM_VERSION; }
void pt_string_free(char* text) { delete[] text; }

int32_t pt_error_exit(const pt_error* error) { return static_cast<int32_t>(error->fault.exit); }
const char* pt_error_what(const pt_error* error) { return error->fault.what.c_str(); }
const char* pt_error_where(const pt_error* error) { return error->fault.where.c_str(); }
const char* pt_error_why(const pt_error* error) { return error->fault.why.c_str(); }
const char* pt_error_fix(const pt_error* error) { return error->fault.fix.c_str(); }
const char* pt_error_kept(const pt_error* error) { return error->fault.kept.c_str(); }
const char* pt_error_text(const pt_error* error) { return error->text.c_str(); }
void pt_error_free(pt_error* error) {
  if (error != protium::OutOfMemory()) delete error;
}

}  // extern "C"
