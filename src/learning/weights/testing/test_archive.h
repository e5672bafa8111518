// SPDX-License-Identifier: Apache-2.0
// Archives and pickles for the tests of this room, byte by byte as torch.save() writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32.h"

namespace protium {

inline std::string Little(uint64_t number, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += char(i < 8 ? number >> (8 * i) : 0);
  return text;
}

// A zip archive of stored files.
inline std::string Zip(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string bytes, list;
  for (const auto& [name, content] : files) {
    const std::string facts = Little(Crc32(content), 4) + Little(content.size(), 4) +
                              Little(content.size(), 4) + Little(name.size(), 2);
    const std::string before = Little(0, 4) + Little(0, 4);  // Flags, method, time.
    list += "PK\1\2" + Little(20, 2) + Little(20, 2) + before + facts + Little(0, 12) +
            Little(bytes.size(), 4) + name;
    bytes += "PK\3\4" + Little(20, 2) + before + facts + Little(0, 2) + name + content;
  }
  const std::string end = "PK\5\6" + Little(0, 4) + Little(files.size(), 2) +
                          Little(files.size(), 2) + Little(list.size(), 4) +
                          Little(bytes.size(), 4) + Little(0, 2);
  return bytes + list + end;
}

inline std::string PickledText(std::string_view text) {
  return "X" + Little(text.size(), 4) + std::string(text);
}

// A whole number from 0 to 255.
inline std::string Whole(int number) { return "K" + Little(uint64_t(number), 1); }

inline std::string Tuple(const std::vector<int>& numbers) {
  std::string text = "(";
  for (const int each : numbers) text += Whole(each);
  return text + "t";
}

struct TestTensor {
  std::string name, key;
  int offset = 0;
  std::vector<int> shape, strides;
  std::string type = "FloatStorage";
  int elements = 6;
};

inline std::string PickledTensor(const TestTensor& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + PickledText("storage") + "ctorch\n" +
         tensor.type + "\n" + PickledText(tensor.key) + PickledText("cpu") +
         Whole(tensor.elements) + "tQ" + Whole(tensor.offset) + Tuple(tensor.shape) +
         Tuple(tensor.strides) + "\x89" + "ccollections\nOrderedDict\n)RtR";
}

// An OrderedDict of tensors, like that of Module.state_dict(), with its attribute _metadata.
inline std::string PickledState(const std::vector<TestTensor>& tensors) {
  std::string items;
  for (const TestTensor& each : tensors) items += PickledText(each.name) + PickledTensor(each);
  return "\x80\2"
         "ccollections\nOrderedDict\n)Rq" +
         Little(0, 1) + "(" + items + "u}" + PickledText("_metadata") + "}sb.";
}

// A file of torch.save() before version 1.6: PickledState() of tensors, then storages by key, each
// as the number of its elements and its bytes.
struct TestStorage {
  std::string key;
  uint64_t elements = 0;
  std::string bytes;
};
inline std::string OldFile(const std::string& state, const std::vector<TestStorage>& storages,
                           bool little = true) {
  std::string bytes = "\x80\2\x8a\x0a" + Little(0x6a20f9469cfc6c, 7) + "\xa8\x50\x19." + "\x80\2M" +
                      Little(1001, 2) + "." + "\x80\2}(" + PickledText("protocol_version") + "M" +
                      Little(1001, 2) + PickledText("little_endian") + (little ? "\x88" : "\x89") +
                      "u." + state + "\x80\2](";
  for (const TestStorage& each : storages) bytes += PickledText(each.key);
  bytes += "e.";
  for (const TestStorage& each : storages) bytes += Little(each.elements, 8) + each.bytes;
  return bytes;
}

// The same in protocol 4: in a frame, with short texts, classes named by the texts on the stack
// (those of the second tensor by memoised ones), and values memoised under the next number.
inline std::string PickledStateOfProtocol4(const std::vector<TestTensor>& tensors) {
  const auto text = [](std::string_view value) {
    return "\x8c" + Little(value.size(), 1) + std::string(value);
  };
  const std::string ordered = text("collections") + "\x94" + text("OrderedDict") + "\x94\x93\x94";
  std::string items;
  for (const TestTensor& each : tensors) {
    const bool first = &each == &tensors.front();
    // 6 is the function: 0 to 2 are OrderedDict and its texts, 3 is the dict itself.
    const std::string rebuild =
        first ? text("torch._utils") + "\x94" + text("_rebuild_tensor_v2") + "\x94\x93\x94"
              : "h" + Little(6, 1);
    items += text(each.name) + rebuild + "((" + text("storage") + text("torch") + text(each.type) +
             "\x93" + text(each.key) + text("cpu") + Whole(each.elements) + "tQ" +
             Whole(each.offset) + Tuple(each.shape) + Tuple(each.strides) + "\x89" + "h" +
             Little(2, 1) + ")RtR";
  }
  const std::string body = ordered + ")R\x94(" + items + "u}\x94" + text("_metadata") + "}sb.";
  return "\x80\4\x95" + Little(body.size(), 8) + body;
}

}  // namespace protium
