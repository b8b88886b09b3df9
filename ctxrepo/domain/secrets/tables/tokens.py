"""Tokens that are known by something within them, or by what stands before them."""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import END, Rule, token
from ctxrepo.domain.secrets.shape import shape

TOKENS: tuple[Rule, ...] = (
    token(
        "azure-key",
        "Azure",
        "AccountKey= SharedAccessKey= SharedSecretKey= AccessKey= Secret=",
        r"(?:AccountKey|AccessKey|SecretKey|Secret)=([A-Za-z0-9+/]{40,100}={0,2})",
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={b86}==",
        "AccountKey=<key>;EndpointSuffix=core.windows.net",
    ),
    token(
        "azure-client-secret",
        "Azure Entra (shape of gitleaks, MIT)",
        "Q~",
        r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_.~-])",
        "abc8Q~{u34}",
        "abc8Q~short",
        back=4,
    ),
    token(
        "azure-key",
        "Azure",
        "AzFu AzSe AzCa ACDb APIM AIoT AEgH ACs7 ACRT +ASt AMAD",
        r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,90}(?:AzFu|AzSe|AzCa|ACDb|APIM|AIoT|AEgH|ACs7|ACRT|\+ASt|AMAD)[A-Za-z0-9+/_-]{4,30}={0,2}(?![A-Za-z0-9+/_-])",
        "{a44}AzFu{a4}==",
        "AzFunctions AzSearch",
        back=90,
    ),
    token(
        "telegram-token",
        "Telegram",
        ":AA",
        r"(?<=[0-9]{8}):AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])",
        "123456789:AA{u33}",
        "12345678:AA",
    ),
    token(
        "firebase-key",
        "Firebase Cloud Messaging",
        ":APA91b",
        r"(?<=[A-Za-z0-9_-]{7}):APA91b[A-Za-z0-9_-]{100,200}",
        "AAAA{u7}:APA91b{u134}",
        "AAAA:APA91b",
    ),
    token(
        "discord-token",
        "Discord",
        "MT MD Mj Mz ND NT Nj Nz OD OT",
        r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])",
        "MT{a22}.{a6}.{a38}",
        "Module.inner.attribute_of_some_length_here",
        shape.is_mixed_case,
    ),
    token(
        "terraform-token",
        "HCP Terraform",
        ".atlasv1.",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}",
        "{a14}.atlasv1.{a64}",
        "x.atlasv1.y",
        back=14,
    ),
    token(
        "mailchimp-key",
        "Mailchimp",
        "-us",
        r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}" + END,
        "{h32}-us14",
        "see-us-14",
        back=32,
    ),
    token(
        "maxmind-key",
        "MaxMind (shape of gitleaks, MIT)",
        "_mmk",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" + END,
        "{a6}_{a29}_mmk",
        "x_mmk",
        back=36,
    ),
    # The id of an account alone is public; with what follows it, it is a login.
    token(
        "twilio-auth-token",
        "Twilio",
        "AC",
        r"(?<![A-Za-z0-9])AC[0-9a-f]{32}(?![A-Za-z0-9])[\s\S]{1,120}?(?<![A-Za-z0-9])([0-9a-f]{32})(?![A-Za-z0-9])",
        "AC{h32} / {h32}",
        "AC{h32}",
    ),
    token(
        "aws-secret-key",
        "AWS",
        "AKIA ASIA",
        r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])(?:(?!api-key)[\s\S]){1,60}?(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "AKIA{A16} / {b40}",
        "AKIAIOSFODNN7EXAMPLE and then wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        shape.is_mixed_case,
    ),
    # No vendor is known, but the token says itself what it is: acme_sk_…, foo_pat_….
    token(
        "labelled-token",
        "any: a token with sk, pat, key, secret, token, live or prod in its beginning",
        "sk_ sk- pat_ pat- key_ key- secret_ secret- token_ token- tok_ _live_ _prod_ -live- -prod- live_ prod_ api_ api- apikey_ rk_ prv_ priv_ sec_ _at_ _rt_ auth_",
        r"(?<![A-Z])(?<!pk[_-])(?<!pub[_-])(?:(?:sk|pat|key|secret|token|tok|live|prod|apikey|api|rk|prv|priv|sec|auth)[_-]|(?<!pk)[_-](?:live|prod|at|rt)[_-])"
        r"(?:[a-z0-9]{1,8}[_-]){0,2}([A-Za-z0-9]{20,255})(?![A-Za-z0-9_-])",
        "acme_sk_{a32}",
        "api_gateway_request_handler_for_retries",
        shape.is_mixed_case,
    ),
    token(
        "cookie",
        "sessions of web applications",
        "_session=",
        r"_session=([A-Za-z0-9%_.-]{24,400})",
        "_gitlab_session={h32}",
        "my_session=open_the_next_page_of_it",
        shape.is_random,
    ),
)
