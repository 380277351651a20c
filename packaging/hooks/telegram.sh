#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A hook of coordinatord: sends what it is told to a Telegram chat. Needs curl and jq.
#   command = ["/usr/share/ratecoord/hooks/telegram.sh", "/etc/ratecoord/telegram.env"]
# The file, readable by the daemon alone, says TELEGRAM_TOKEN=... and TELEGRAM_CHAT=...
set -eu
# shellcheck source=/dev/null
. "${1:-/etc/ratecoord/telegram.env}"

# The token is part of the URL: it goes to curl by a file descriptor, where `ps` does not show it.
message=$(jq -c --arg chat "$TELEGRAM_CHAT" '{
    chat_id: $chat,
    text: (.host + " " + .budget + ": " + .event + ": " + .text
        + (if .client == "" then "" else "\nclient " + .client end)
        + (if .suppressed > 0 then "\n\(.suppressed) earlier ones were held back" else "" end))
}')
curl --config - <<END
url = "https://api.telegram.org/bot$TELEGRAM_TOKEN/sendMessage"
header = "Content-Type: application/json"
data-raw = $(printf '%s' "$message" | jq -Rs .)
silent
show-error
fail
max-time = 8
output = "/dev/null"
END
