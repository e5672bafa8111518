// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's library, opened while the program runs. It offers a table of functions that only
// grows at its end, so an entry is found by its position in OrtApi, as its C header has it; those
// used here have stood there since version 1.8. Each returns a status, null when it went well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"

namespace protium::ort {

// What the library hands out; only it knows what is inside.
struct Status;
struct Env;
struct SessionOptions;
struct Session;
struct MemoryInfo;
struct Value;
struct TypeInfo;
struct TensorInfo;
struct Allocator;

// Positions in the table.
enum Entry : int {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kDisableTelemetry = 6,
  kCreateSessionFromArray = 8,
  kRun = 9,
  kCreateSessionOptions = 10,
  kDisableCpuMemArena = 19,
  kSetSessionLogSeverity = 22,
  kSetGraphOptimization = 23,
  kSetIntraOpThreads = 24,
  kSetInterOpThreads = 25,
  kGetInputCount = 30,
  kGetOutputCount = 31,
  kGetInputTypeInfo = 33,
  kGetOutputTypeInfo = 34,
  kGetInputName = 36,
  kGetOutputName = 37,
  kCreateTensor = 48,
  kCreateTensorWithData = 49,
  kGetTensorData = 51,
  kFillStrings = 52,
  kGetStringsLength = 53,
  kGetStrings = 54,
  kCastTypeToTensor = 55,
  kGetElementType = 60,
  kGetDimensionsCount = 61,
  kGetDimensions = 62,
  kGetTensorInfo = 65,
  kCreateCpuMemoryInfo = 69,
  kGetDefaultAllocator = 78,
  kFreeWithAllocator = 76,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseTypeInfo = 98,
  kReleaseTensorInfo = 99,
  kReleaseSessionOptions = 100,
  kAddConfigEntry = 130,
};

// The open library with an environment of its own. Any thread.
class Library {
 public:
  // Opens it beside Arrow's library or where ./dev setup --onnx puts it. Fails with
  // Exit::kEnvironment if it is missing or too old.
  static Result<std::shared_ptr<const Library>> Open();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& version() const { return version_; }  // "1.32.0"
  Env* env() const { return env_; }

  // Calls an entry that returns a status; its message becomes the `why` of a fault of `exit`.
  template <class... Arguments>
  protium::Status Call(Entry entry, Arguments... arguments) const {
    const auto function = reinterpret_cast<Status* (*)(Arguments...)>(api_[entry]);
    return Take(function(arguments...));
  }
  template <class Handle>
  void Release(Entry entry, Handle* handle) const {
    if (handle != nullptr) reinterpret_cast<void (*)(Handle*)>(api_[entry])(handle);
  }

 private:
  using Function = void (*)();  // each is cast to its own type where it is called

  Library() = default;
  protium::Status Take(Status* status) const;

  const Function* api_ = nullptr;
  Env* env_ = nullptr;
  std::string version_;
};

// Owns one handle, and keeps the library that releases it.
template <class Handle, Entry kRelease>
class Owned {
 public:
  explicit Owned(std::shared_ptr<const Library> library) : library_(std::move(library)) {}
  Owned(Owned&& other) noexcept
      : library_(std::move(other.library_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (handle_ != nullptr) library_->Release(kRelease, handle_);
  }
  Handle* get() const { return handle_; }
  Handle** out() { return &handle_; }

 private:
  std::shared_ptr<const Library> library_;
  Handle* handle_ = nullptr;
};

// The library's file if this process has opened it, which workers elsewhere then need, too; else
// empty.
std::filesystem::path OpenedFile();

}  // namespace protium::ort
