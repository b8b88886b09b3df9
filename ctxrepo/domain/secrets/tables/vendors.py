"""Tokens that their vendors let begin with a word of their own, vendor by vendor.

A row is: what the rule is called, whose token it is, how it may begin, what follows, where the shape is from.
`gitleaks` is the rule set of gitleaks (MIT licence, Copyright (c) 2019 Zachary Rice); of the others the
beginning is what the vendor documents. Lengths are looser than documented ones: vendors change them.

Checksums (GitHub, npm, age) aren't asked for: after such a beginning a wrong one is a secret that was
copied badly.
"""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import ALNUM, END, HEX, URLSAFE, Rule, prefixed
from ctxrepo.domain.secrets.shape import shape

_GL = "gitleaks"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

VENDORS: tuple[Rule, ...] = (
    # Code and packages
    prefixed("github-token", "GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM + "{30,255}"),
    prefixed("github-token", "GitHub", "github_pat_", "[A-Za-z0-9_]{40,255}"),
    prefixed(
        "gitlab-token",
        "GitLab",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas- glimt- glffct- glwt- GR1348941",
        r"[A-Za-z0-9_.-]{20,320}",
    ),
    prefixed("gitea-token", "Gitea", "gta_", ALNUM + "{32,64}"),
    prefixed("bitbucket-token", "Bitbucket", "ATCTT3 ATBB", r"[A-Za-z0-9_=-]{24,255}"),
    prefixed("atlassian-token", "Atlassian", "ATATT3 ATSTT3 ATOAT", r"[A-Za-z0-9_=-]{24,512}"),
    prefixed("azure-devops-token", "Azure DevOps", "AZDO", ALNUM + "{48,84}"),
    prefixed("sourcegraph-token", "Sourcegraph", "sgp_", "(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}", _GL),
    prefixed("sonar-token", "SonarQube", "squ_ sqp_ sqa_", HEX + "{40}", _GL),
    prefixed("snyk-token", "Snyk", "snyk_uat. snyk_sat.", r"[A-Za-z0-9_.-]{20,200}"),
    prefixed("npm-token", "npm", "npm_", ALNUM + "{36,80}"),
    prefixed("pypi-token", "PyPI", "pypi-", URLSAFE + "{50,1024}"),
    prefixed("rubygems-key", "RubyGems", "rubygems_", HEX + "{48}"),
    prefixed("clojars-token", "Clojars", "CLOJARS_", "[a-z0-9]{60}", _GL),
    prefixed("docker-token", "Docker", "dckr_pat_ dckr_oat_", URLSAFE + "{24,80}"),
    prefixed("artifactory-key", "JFrog", "AKCp", ALNUM + "{60,80}", _GL),
    prefixed("artifactory-key", "JFrog", "cmVmd", ALNUM + "{55,64}", _GL),
    prefixed("buildkite-token", "Buildkite", "bkua_ bkaj_ bkct_", ALNUM + "{32,64}"),
    prefixed("circleci-token", "CircleCI", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9_]{30,100}"),
    prefixed("octopus-key", "Octopus Deploy", "API-", "[A-Z0-9]{26,32}" + END, _GL),
    prefixed(
        "harness-key", "Harness", "pat. sat.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", _GL
    ),
    prefixed("infracost-key", "Infracost", "ico-", ALNUM + "{32}" + END, _GL),
    prefixed("facebook-token", "Facebook", "EAA", ALNUM + "{80,400}" + END, _GL),
    prefixed("postman-key", "Postman", "PMAK-", HEX + "{24}-" + HEX + "{34}"),
    prefixed("readme-key", "ReadMe", "rdme_", "[a-z0-9]{50,80}", _GL),
    prefixed("launchdarkly-key", "LaunchDarkly", "sdk- mob- api-", _UUID + END),
    prefixed(
        "authress-key",
        "Authress",
        "sc_ ext_ scauth_ authress_",
        r"[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        _GL,
    ),
    prefixed("jwt", "RFC 7519, in base64 once more", "ZXlK", r"[A-Za-z0-9+/_-]{40,4096}={0,2}"),
    prefixed(
        "private-key",
        "PKCS 1, 8 and 12, without their lines of PEM",
        "MII",
        "[A-Za-z0-9+/]{1,3}IBA(?:zCC|DANBgkqhkiG9w|AKCA)[A-Za-z0-9+/=]{40,8192}",
    ),
    # Clouds and hosts
    prefixed("aws-access-key", "AWS", "AKIA ASIA ABIA ACCA A3T", r"[A-Z0-9]{16,17}" + END),
    prefixed("aws-bedrock-key", "AWS", "ABSK bedrock-api-key-", r"[A-Za-z0-9+/]{80,1024}={0,2}", _GL),
    prefixed("aws-appsync-key", "AWS", "da2-", "[a-z0-9]{26}" + END),
    prefixed("aws-mws-token", "AWS", "amzn.mws.", _UUID),
    prefixed("aws-cognito-secret", "AWS", "amzn1.oa2-cs.v1.", HEX + "{64}"),
    prefixed("google-api-key", "Google", "AIza", URLSAFE + "{35}(?![A-Za-z0-9_-])"),
    prefixed("google-oauth-secret", "Google", "GOCSPX-", URLSAFE + "{24,64}"),
    prefixed("google-oauth-token", "Google", "ya29.", r"[A-Za-z0-9_.-]{30,2048}"),
    prefixed("google-oauth-token", "Google", "1//0", URLSAFE + "{36,128}"),
    prefixed("google-hmac-key", "Google", "GOOG1E GOOG", "[A-Z0-9]{20,60}" + END),
    prefixed("digitalocean-token", "DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", HEX + "{64}"),
    prefixed("alibaba-access-key", "Alibaba Cloud", "LTAI", ALNUM + "{16,24}" + END),
    prefixed("tencent-key", "Tencent Cloud", "AKID", ALNUM + "{32}" + END),
    prefixed("yandex-key", "Yandex Cloud", "AQVN", URLSAFE + "{35,38}", _GL),
    prefixed("yandex-key", "Yandex Cloud", "YC", URLSAFE + "{38}(?![A-Za-z0-9_-])", _GL),
    prefixed(
        "yandex-key", "Yandex Cloud", "t1.", r"[A-Za-z0-9_-]{8,400}={0,2}\.[A-Za-z0-9_-]{60,100}={0,2}", _GL
    ),
    prefixed("yandex-key", "Yandex", "y0_ y1_ y2_ y3_", URLSAFE + "{50,80}"),
    prefixed("scaleway-key", "Scaleway", "SCW", "[A-Z0-9]{17}" + END),
    prefixed("scalingo-token", "Scalingo", "tk-us-", URLSAFE + "{40,64}", _GL),
    prefixed("heroku-key", "Heroku", "HRKU-", URLSAFE + "{36,80}", _GL),
    prefixed("fly-token", "Fly.io", "fo1_", URLSAFE + "{43}"),
    prefixed("fly-token", "Fly.io", "fm1r_ fm1a_ fm2_", r"[A-Za-z0-9+/_-]{40,2048}={0,3}", _GL),
    prefixed("render-key", "Render", "rnd_", ALNUM + "{24,64}"),
    prefixed("netlify-token", "Netlify", "nfp_ nfc_ nfo_ nfu_", ALNUM + "{30,64}"),
    prefixed("vercel-token", "Vercel", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"[A-Za-z0-9_]{24,80}"),
    prefixed("cloudflare-key", "Cloudflare", "v1.0-", HEX + "{24}-" + HEX + "{100,160}", _GL),
    prefixed("cloudflare-key", "Cloudflare", "cfut_ cfat_ cfk_", ALNUM + "{36,64}"),
    prefixed("openshift-token", "OpenShift", "sha256~", URLSAFE + "{43}(?![A-Za-z0-9_-])", _GL),
    prefixed("pulumi-token", "Pulumi", "pul-", HEX + "{40}", _GL),
    prefixed("prefect-key", "Prefect", "pnu_ pnb_", ALNUM + "{36}", _GL),
    prefixed("vault-token", "HashiCorp Vault", "hvs. hvb. hvr.", URLSAFE + "{24,512}"),
    prefixed(
        "doppler-token", "Doppler", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", r"[A-Za-z0-9._-]{40,80}"
    ),
    prefixed("infisical-token", "Infisical", "st.", r"[a-f0-9-]{24,36}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    prefixed("onepassword-token", "1Password", "ops_eyJ", r"[A-Za-z0-9+/_-]{100,2048}={0,3}"),
    prefixed(
        "onepassword-key",
        "1Password",
        "A3-",
        "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        _GL,
    ),
    prefixed("tailscale-key", "Tailscale", "tskey-", "[A-Za-z0-9-]{20,128}"),
    prefixed("defined-key", "Defined Networking", "dnkey-", "[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}", _GL),
    prefixed("ngrok-token", "ngrok", "ak_ cr_", "[A-Za-z0-9]{27,32}" + END),
    prefixed(
        "planetscale-token", "PlanetScale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=-]{32,64}"
    ),
    prefixed("supabase-key", "Supabase", "sbp_ sb_secret_", r"[A-Za-z0-9_-]{24,64}"),
    prefixed("neon-key", "Neon", "napi_ npg_", ALNUM + "{12,80}"),
    prefixed("clickhouse-key", "ClickHouse", "4b1d", ALNUM + "{38}" + END, _GL),
    prefixed("databricks-token", "Databricks", "dapi dose dkea", r"[a-f0-9]{32}(?:-\d)?" + END),
    # Models
    prefixed("anthropic-key", "Anthropic", "sk-ant-", URLSAFE + "{20,255}"),
    prefixed(
        "openai-key",
        "OpenAI",
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1- sess-",
        URLSAFE + "{20,255}",
    ),
    prefixed("openai-key", "OpenAI and compatible", "sk-", ALNUM + "{20,128}(?![A-Za-z0-9-])"),
    prefixed("groq-key", "Groq", "gsk_", ALNUM + "{40,80}"),
    prefixed("xai-key", "xAI", "xai-", ALNUM + "{60,120}"),
    prefixed("perplexity-key", "Perplexity", "pplx-", ALNUM + "{32,80}"),
    prefixed("replicate-token", "Replicate", "r8_", ALNUM + "{36,48}"),
    prefixed("huggingface-token", "Hugging Face", "hf_ api_org_", ALNUM + "{30,80}"),
    prefixed("nvidia-key", "NVIDIA", "nvapi-", URLSAFE + "{40,120}"),
    prefixed("pinecone-key", "Pinecone", "pcsk_", r"[A-Za-z0-9_]{40,120}"),
    prefixed("langsmith-key", "LangSmith", "lsv2_pt_ lsv2_sk_", r"[a-f0-9]{32}_[a-f0-9]{8,12}"),
    prefixed("langfuse-key", "Langfuse", "sk-lf-", _UUID),
    prefixed("elevenlabs-key", "ElevenLabs", "sk_", HEX + "{48}" + END),
    prefixed("wandb-key", "Weights & Biases", "wandb_v1_", r"[A-Za-z0-9_]{30,120}"),
    # Payment and shops
    prefixed(
        "stripe-key",
        "Stripe",
        "sk_live_ rk_live_ sk_prod_ rk_prod_ sk_test_ rk_test_ sk_org_",
        ALNUM + "{16,255}",
    ),
    prefixed("stripe-webhook-secret", "Stripe, Svix", "whsec_", "[A-Za-z0-9+/]{24,120}"),
    prefixed("square-token", "Square", "sq0atp- sq0csp- sq0idp- EAAAE EAAAl", URLSAFE + "{22,64}"),
    prefixed("paypal-token", "PayPal", "A21AA", URLSAFE + "{60,120}"),
    prefixed(
        "braintree-token",
        "Braintree",
        "access_token$production$ access_token$sandbox$",
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    prefixed("razorpay-key", "Razorpay", "rzp_live_ rzp_test_", ALNUM + "{14,24}"),
    prefixed("flutterwave-key", "Flutterwave", "FLWSECK- FLWSECK_TEST-", r"[A-Za-z0-9]{12,40}(?:-X)?", _GL),
    prefixed("plaid-token", "Plaid", "access-production- access-development- access-sandbox-", _UUID, _GL),
    prefixed("shippo-token", "Shippo", "shippo_live_ shippo_test_", "[a-fA-F0-9]{40}", _GL),
    prefixed("easypost-key", "EasyPost", "EZAK EZTK", ALNUM + "{54}", _GL),
    prefixed("duffel-token", "Duffel", "duffel_live_ duffel_test_", r"[A-Za-z0-9_=-]{43}", _GL),
    prefixed("shopify-token", "Shopify", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", "[a-fA-F0-9]{32}"),
    prefixed("adyen-key", "Adyen", "AQE", r"[A-Za-z0-9+/]{40,240}\.?[A-Za-z0-9+/=.:-]{20,400}"),
    # Mail, chat, telephones
    prefixed(
        "slack-token",
        "Slack",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp- xoxe.",
        "[A-Za-z0-9.%-]{12,255}",
    ),
    prefixed("sendgrid-key", "SendGrid", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    prefixed("mailgun-key", "Mailgun", "key-", "[0-9a-f]{32}" + END),
    prefixed("brevo-key", "Brevo", "xkeysib- xsmtpsib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}", _GL),
    prefixed("mailersend-key", "MailerSend", "mlsn.", HEX + "{64}"),
    prefixed("twilio-key", "Twilio", "SK", "[0-9a-fA-F]{32}" + END),
    prefixed("discord-token", "Discord", "mfa.", URLSAFE + "{60,100}"),
    prefixed("facebook-token", "Meta", "EAAM EAAC EAACEdEose0cBA EAAG EAAB EAAJ", ALNUM + "{60,512}", _GL),
    prefixed("instagram-token", "Meta", "IGQV IGQW IGAA", URLSAFE + "{60,512}"),
    prefixed("twitter-token", "X, once Twitter", "AAAAAAAAAAAAAAAAAAAAA", "([A-Za-z0-9%]{40,120})"),
    prefixed("dropbox-token", "Dropbox", "sl. sl.u.", URLSAFE + "{100,1400}"),
    # Watching
    prefixed("grafana-token", "Grafana", "glsa_ glc_", r"[A-Za-z0-9_+/=]{32,400}"),
    prefixed("grafana-token", "Grafana", "eyJrIjoi", r"[A-Za-z0-9]{60,400}={0,2}", _GL),
    prefixed("sentry-token", "Sentry", "sntrys_ sntryu_ sntrya_ sntryi_", r"[A-Za-z0-9_+/=]{40,512}"),
    prefixed(
        "newrelic-key", "New Relic", "NRAK- NRJS- NRII- NRRA- NRSP- NRIQ- NRAA-", r"[A-Za-z0-9_-]{19,64}", _GL
    ),
    prefixed(
        "dynatrace-token",
        "Dynatrace",
        "dt0c01. dt0s01. dt0s02. dt0s16.",
        r"[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}",
        _GL,
    ),
    prefixed("posthog-key", "PostHog", "phx_ phs_", ALNUM + "{32,64}"),
    prefixed("honeycomb-key", "Honeycomb", "hcaik_ hcxik_ hcalk_ hcamk_ hcxlk_", ALNUM + "{32,70}"),
    prefixed("datadog-key", "Datadog", "ddapp_ ddapi_ ddpat_", ALNUM + "{24,64}"),
    # Work
    prefixed("notion-token", "Notion", "ntn_ secret_", ALNUM + "{40,64}"),
    prefixed("linear-key", "Linear", "lin_api_ lin_oauth_ lin_wh_", ALNUM + "{32,64}"),
    prefixed("figma-token", "Figma", "figd_ figo_ figoh_", URLSAFE + "{36,64}"),
    prefixed("airtable-token", "Airtable", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}", _GL),
    prefixed("asana-token", "Asana", "0/ 1/ 2/", r"[0-9]{10,20}(?:/[0-9]{10,20})?:[a-f0-9]{32}"),
    prefixed("asana-token", "Asana", "0/", "[a-f0-9]{32}" + END),
    prefixed("clickup-token", "ClickUp", "pk_", r"[0-9]{6,9}_[A-Z0-9]{32}"),
    prefixed("typeform-token", "Typeform", "tfp_", r"[A-Za-z0-9_.=-]{40,64}", _GL),
    prefixed("hubspot-token", "HubSpot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID),
    prefixed("frameio-token", "Frame.io", "fio-u-", r"[A-Za-z0-9_=-]{64}", _GL),
    prefixed("adobe-secret", "Adobe", "p8e-", ALNUM + "{32}" + END, _GL),
    prefixed("mapbox-token", "Mapbox", "sk.eyJ", r"[A-Za-z0-9_-]{40,120}\.[A-Za-z0-9_-]{20,30}"),
    prefixed("contentful-token", "Contentful", "CFPAT-", URLSAFE + "{43}"),
    prefixed("settlemint-token", "SettleMint", "sm_aat_ sm_pat_ sm_sat_", ALNUM + "{16}", _GL),
    prefixed("intra42-secret", "42", "s-s4t2ud- s-s4t2af-", HEX + "{64}", _GL),
    prefixed("oculus-token", "Meta", "OC|", r"[0-9]{15,17}\|[A-Za-z0-9_-]{20,40}"),
    # Keys of coins and of encryption
    prefixed(
        "age-key", "age", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 AGE-PLUGIN-YUBIKEY-1", "[A-Z0-9]{58,120}"
    ),
    prefixed(
        "bitcoin-key", "Bitcoin and others", "xprv yprv zprv tprv uprv vprv", "[1-9A-HJ-NP-Za-km-z]{90,110}"
    ),
    prefixed("nostr-key", "Nostr", "nsec1", "[a-z0-9]{58}"),
    prefixed("tezos-key", "Tezos", "edsk", "[1-9A-HJ-NP-Za-km-z]{50,94}"),
    prefixed("sui-key", "Sui", "suiprivkey1", "[a-z0-9]{58,64}"),
    # Beginnings so short that only an order which no words have tells the token.
    prefixed("vault-token", "HashiCorp Vault", "s.", ALNUM + "{24}" + END, is_real=shape.is_mixed_case),
    prefixed("crates-token", "crates.io", "cio", ALNUM + "{32}" + END, is_real=shape.is_mixed_case),
    prefixed("nuget-key", "NuGet", "oy2", "[a-z0-9]{43}" + END, is_real=shape.is_random),
    prefixed("resend-key", "Resend", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}", is_real=shape.is_random),
    prefixed("mandrill-key", "Mandrill", "md-", URLSAFE + "{22}(?![A-Za-z0-9_-])", is_real=shape.is_random),
    prefixed(
        "pagerduty-key", "PagerDuty", "u+", "[A-Za-z0-9_+-]{18}(?![A-Za-z0-9_+-])", is_real=shape.is_random
    ),
    prefixed(
        "mollie-key", "Mollie, GoCardless", "live_", "[A-Za-z0-9_-]{30,64}", is_real=shape.is_mixed_case
    ),
    prefixed("exoscale-key", "Exoscale", "EXO", "[a-f0-9]{24}" + END, is_real=shape.is_random),
    prefixed("xata-key", "Xata", "xau_", ALNUM + "{28,64}", is_real=shape.is_random),
    prefixed("sanity-token", "Sanity", "sk", ALNUM + "{80,255}" + END, is_real=shape.is_mixed_case),
    prefixed("tavily-key", "Tavily", "tvly-", URLSAFE + "{24,80}", is_real=shape.is_random),
    prefixed("firecrawl-key", "Firecrawl", "fc-", "[a-f0-9]{32}" + END, is_real=shape.is_random),
    prefixed("jina-key", "Jina", "jina_", URLSAFE + "{40,80}", is_real=shape.is_random),
    prefixed("voyage-key", "Voyage", "pa-", URLSAFE + "{40,64}", is_real=shape.is_mixed_case),
    prefixed("fireworks-key", "Fireworks", "fw_", ALNUM + "{22,40}", is_real=shape.is_mixed_case),
    prefixed("cerebras-key", "Cerebras", "csk-", "[a-z0-9]{40,64}" + END, is_real=shape.is_random),
    prefixed("together-key", "Together", "tgp_v1_", URLSAFE + "{40,64}", is_real=shape.is_random),
    prefixed("e2b-key", "E2B", "e2b_", "[a-f0-9]{40}" + END, is_real=shape.is_random),
    prefixed("axiom-token", "Axiom", "xaat- xapt-", _UUID + END),
    prefixed("logfire-token", "Logfire", "pylf_v1_ pylf_v2_", "[A-Za-z0-9_]{30,80}", is_real=shape.is_random),
    prefixed("n8n-key", "n8n", "n8n_api_", ALNUM + "{40,128}", is_real=shape.is_random),
    prefixed(
        "trigger-key", "Trigger.dev", "tr_dev_ tr_prod_ tr_stg_", ALNUM + "{20,40}", is_real=shape.is_random
    ),
    prefixed(
        "ory-token",
        "Ory",
        "ory_pat_ ory_at_ ory_st_ ory_rt_",
        r"[A-Za-z0-9_.-]{24,128}",
        is_real=shape.is_random,
    ),
    prefixed("storyblok-token", "Storyblok", "sb-", "[A-Za-z0-9]{22,40}" + END, is_real=shape.is_mixed_case),
)
