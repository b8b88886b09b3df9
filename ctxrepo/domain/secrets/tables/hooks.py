"""Addresses that open something for whoever knows them: the secret is part of the path, or follows the `?`."""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import Rule, token
from ctxrepo.domain.secrets.shape import grade, shape

_PART = r"([A-Za-z0-9_-]{8,200}(?:\.[A-Za-z0-9_-]{8,200}){0,2})(?![\w.])"

HOOKS: tuple[Rule, ...] = (
    token(
        "webhook-url",
        "hooks, pings and invitations: the path ends with the secret",
        "hook/ hooks/ deploy/ ping/ heartbeat/ check_in/ check-in/ invite/ inputs/ integration/ integrations/ alert/ Webhook/ join/ magic/",
        r"(?:hooks?|deploy|ping|heartbeat|check[_-]in|invite|inputs|integrations?|alert|Webhook|join|magic)/(?:[\w.-]{1,40}/){0,3}?"
        + _PART,
        "https://api.vercel.com/v1/integrations/deploy/prj_{a24}/{a10}",
        "https://docs.acme.io/integrations/generic-alert/settings-page",
        grade.is_address_part,
    ),
    token(
        "webhook-url",
        "monitors whose host takes the secret at once",
        "hc-ping.com/ nosnch.in/ cronitor.link/ ntfy.sh/ webhook.site/ in.logs. hook.",
        r"(?:hc-ping\.com|nosnch\.in|cronitor\.link|ntfy\.sh|webhook\.site|in\.logs\.[\w.-]{1,40}|hook\.[\w.-]{1,40})/(?:p/)?"
        + _PART,
        "https://hc-ping.com/{uuid}",
        "https://hc-ping.com/documentation",
        grade.is_address_part,
    ),
    token(
        "webhook-url",
        "what follows the question mark",
        "?key= &key= ?k= ?code= &code= ?token= &token= ?p= ?t= signature= ?sig= jwt= resourcekey= ?secret= ?auth= ?hash= ?invite=",
        r"(?:[?&](?:key|k|code|token|p|t|secret|auth|hash|invite)|[?]sig|signature|jwt|resourcekey)=" + _PART,
        "https://chat.acme.io/send?key={uuid}",
        "https://acme.io/list?key=display-name-of-user",
        grade.is_address_part,
    ),
    token(
        "api-key",
        "Philips Hue and others",
        "/api/",
        r"/api/([A-Za-z0-9-]{32,40})/(?=[a-z])",
        "http://10.0.0.9/api/{a40}/lights",
        "http://10.0.0.9/api/internal-settings-of-all-the-lamps/lights",
        shape.is_mixed_case,
    ),
    token(
        "url-password",
        "two numbers in hexadecimal",
        "://",
        r"://([0-9a-f]{8}:[0-9a-f]{8}|[0-9a-f]{32}:[0-9a-f]{32})@[\w-]",
        "https://{h32}:{h32}@sentry.acme.io/2",
        "https://user:password@acme.io/",
        shape.is_any_hash,
    ),
    token(
        "bundler-login",
        "Contributed Systems (shape of gitleaks, MIT)",
        "CONTRIBSYS__COM",
        r"CONTRIBSYS__COM[\"']?[=: ]{1,4}[\"']?([a-z0-9]{8}:[a-z0-9]{8})",
        "BUNDLE_ENTERPRISE__CONTRIBSYS__COM={h8}:{h8}",
        "BUNDLE_ENTERPRISE__CONTRIBSYS__COM=$LOGIN",
        shape.is_any_hash,
    ),
    token(
        "facebook-token",
        "Facebook (shape of gitleaks, MIT)",
        "|",
        r"(?<![0-9])[0-9]{15,16}(?:\||%)[A-Za-z0-9_-]{27,40}(?![\w-])",
        "{d16}|{a27}",
        "1234567890 | twelve",
        shape.is_mixed_case,
        back=16,
    ),
)
"""A rule of the shape `host/word` is tried only in words of sixteen characters or more."""
