#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A hook of coordinatord: sends what it is told to a Slack channel. Needs curl and jq.
#   command = ["/usr/share/ratecoord/hooks/slack.sh", "/etc/ratecoord/slack.env"]
# The file, readable by the daemon alone, says SLACK_WEBHOOK=https://hooks.slack.com/services/...
set -eu
# shellcheck source=/dev/null
. "${1:-/etc/ratecoord/slack.env}"

# The URL is the secret: it goes to curl by a file descriptor, where `ps` does not show it.
message=$(jq -c '{
    text: (.host + " " + .budget + ": " + .event + ": " + .text
        + (if .client == "" then "" else "\nclient " + .client end)
        + (if .suppressed > 0 then "\n\(.suppressed) earlier ones were held back" else "" end)
        | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;"))
}')
curl --config - <<END
url = "$SLACK_WEBHOOK"
header = "Content-Type: application/json"
data-raw = $(printf '%s' "$message" | jq -Rs .)
silent
show-error
fail
max-time = 8
output = "/dev/null"
END
