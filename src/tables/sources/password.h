// SPDX-License-Identifier: Apache-2.0
// From the place of a password to the password, which stays in this process.
#pragma once

#include <string>

#include "base/status.h"
#include "protium/sources.h"

namespace protium {

// Returns the password; empty if no place is named. Refuses (kUsage) a variable that is not set, a
// file that cannot be read or that others than its owner may read, and two places at once.
Result<std::string> ReadPassword(const PasswordPlace& place);

// Replaces the password, also as it is quoted in SQL, by "(password)" in every part of a fault. An
// empty password changes nothing.
Status WithoutPassword(const Status& status, const std::string& password);

// The place in a few words, for messages: "the environment variable SHOP_PASSWORD".
std::string DescribePlace(const PasswordPlace& place);

}  // namespace protium
