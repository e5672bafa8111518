// SPDX-License-Identifier: Apache-2.0
// Signatures of requests to S3: AWS Signature Version 4, with the payload's hash as a header.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace protium {

// Who asks, and where. Never shown.
struct S3Access {
  std::string key, secret;
  std::string token;     // Of a key that expires; may be empty.
  std::string region;    // Empty: us-east-1.
  std::string endpoint;  // "http://host:port" or "https://host"; empty: Amazon's own.
};

// What is signed. Names of headers are lower-case; all of them are signed, "host" among them.
struct S3Request {
  std::string method;  // "PUT"
  std::string path;    // Percent-encoded, from the first slash on.
  std::map<std::string, std::string> headers;
};

// Adds the headers x-amz-date, x-amz-content-sha256, x-amz-security-token where there is a token,
// and authorization. `time` is of UTC: "20130524T000000Z".
void SignRequest(const S3Access& access, std::string_view body, const std::string& time,
                 S3Request& request);

}  // namespace protium
