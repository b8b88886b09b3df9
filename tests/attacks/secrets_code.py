"""Secrets of forges, builds, package registries and watching services."""

from __future__ import annotations

import base64
from functools import partial

from attacks.drawing import Draw
from attacks.secrets_kinds import token, weak

T, W = partial(token, "forges"), partial(weak, "forges")
P, Q = partial(token, "packages"), partial(weak, "packages")
F, M = partial(token, "watching"), partial(weak, "watching")


def sentry(d: Draw) -> str:
    """An organization's token: its claims, then a secret."""
    head = base64.b64encode(
        f'{{"iat":17{d.digits(8)}.{d.digits(6)},"url":"https://sentry.io","region_url":"https://de.sentry.io","org":"shop"}}'.encode()
    ).decode()
    return "sntr" + f"ys_{head}_{d.raw(32).rstrip('=')}"


FORGES = (
    T("github-classic", "GitHub: personal access token", "GITHUB_TOKEN", lambda d: d.github("gh" + "p_")),
    T("github-oauth", "GitHub: OAuth token", "GH_TOKEN", lambda d: d.github("gh" + "o_")),
    T("github-user", "GitHub App: user token", "GITHUB_USER_TOKEN", lambda d: d.github("gh" + "u_")),
    T("github-install", "GitHub App: installation token", "GITHUB_TOKEN", lambda d: d.github("gh" + "s_")),
    T("github-refresh", "GitHub App: refresh token", "GITHUB_REFRESH_TOKEN", lambda d: d.github("gh" + "r_", 70)),
    T("github-fine", "GitHub: fine-grained token", "GH_TOKEN", lambda d: "github" + f"_pat_{d.an(22)}_{d.an(59)}"),
    W("github-app-secret", "GitHub App: client secret", "GITHUB_CLIENT_SECRET", lambda d: d.hex(40)),
    W("github-webhook", "GitHub: webhook secret", "GITHUB_WEBHOOK_SECRET", lambda d: d.hex(40)),
    T("gitlab-pat", "GitLab: access token", "GITLAB_TOKEN", lambda d: "glp" + "at-" + d.url(20)),
    T("gitlab-routable", "GitLab: access token", "GITLAB_TOKEN",
      lambda d: "glp" + f"at-{d.url(27)}.01.{d.low(9)}"),
    T("gitlab-runner", "GitLab: runner token", "CI_RUNNER_TOKEN", lambda d: "glr" + "t-" + d.url(20)),
    T("gitlab-registration", "GitLab: registration token", "REGISTRATION_TOKEN", lambda d: "GR13" + "48941" + d.url(20)),
    T("gitlab-deploy", "GitLab: deploy token", "CI_DEPLOY_PASSWORD", lambda d: "gld" + "t-" + d.url(20)),
    T("gitlab-trigger", "GitLab: trigger token", "TRIGGER_TOKEN", lambda d: "glp" + "tt-" + d.hex(40)),
    T("gitlab-job", "GitLab: job token", "CI_JOB_TOKEN", lambda d: "glc" + f"bt-64_{d.url(20)}"),
    T("gitlab-agent", "GitLab: agent token", "AGENT_TOKEN", lambda d: "glag" + "ent-" + d.url(50)),
    T("gitlab-scim", "GitLab: SCIM token", "SCIM_TOKEN", lambda d: "gls" + "oat-" + d.url(20)),
    T("gitlab-feed", "GitLab: feed token", "FEED_TOKEN", lambda d: "glf" + "t-" + d.url(20)),
    T("gitlab-app", "GitLab: application secret", "GITLAB_APP_SECRET", lambda d: "glo" + "as-" + d.hex(64)),
    T("gitlab-mail", "GitLab: incoming mail token", "MAIL_TOKEN", lambda d: "gli" + "mt-" + d.low(25)),
    T("bitbucket-app", "Bitbucket: app password", "BITBUCKET_APP_PASSWORD", lambda d: "AT" + "BB" + d.an(24) + d.some("0123456789ABCDEF", 8)),
    T("bitbucket-repo", "Bitbucket: repository token", "BITBUCKET_TOKEN",
      lambda d: "ATCTT3xFf" + "GN0" + d.url(170) + "=" + d.some("0123456789ABCDEF", 8)),
    T("circleci", "CircleCI: personal token", "CIRCLE_TOKEN", lambda d: "CCI" + f"PAT_{d.an(22)}_{d.hex(40)}"),
    W("circleci-old", "CircleCI: API token", "CIRCLECI_TOKEN", lambda d: d.hex(40)),
    W("jenkins", "Jenkins: API token", "JENKINS_API_TOKEN", lambda d: "11" + d.hex(32)),
    T("buildkite", "Buildkite: API token", "BUILDKITE_TOKEN", lambda d: "bku" + "a_" + d.hex(40)),
    W("travis", "Travis CI: access token", "TRAVIS_TOKEN", lambda d: d.url(22)),
    W("drone", "Drone: token", "DRONE_TOKEN", lambda d: d.an(32)),
    W("gitea", "Gitea: access token", "GITEA_TOKEN", lambda d: d.hex(40)),
    W("codecov", "Codecov: upload token", "CODECOV_TOKEN", lambda d: d.uuid()),
    T("sonar", "SonarQube: token", "SONAR_TOKEN", lambda d: "sq" + d.pick("u", "p", "a") + "_" + d.hex(40)),
    W("snyk", "Snyk: API token", "SNYK_TOKEN", lambda d: d.uuid()),
    T("harness", "Harness: API key", "HARNESS_API_KEY", lambda d: f"pat.{d.url(22)}.{d.hex(24)}.{d.an(20)}"),
    T("sourcegraph", "Sourcegraph: access token", "SRC_ACCESS_TOKEN", lambda d: "sg" + f"p_{d.hex(16)}_{d.hex(40)}"),
    T("octopus", "Octopus Deploy: API key", "OCTOPUS_API_KEY", lambda d: "API" + "-" + d.up(26)),
    T("teamcity", "TeamCity: access token", "TEAMCITY_TOKEN",
      lambda d: f"eyJ0eXAiOiAiVENWMiJ9.{d.raw(24)}.{d.raw(36)}"),
)  # fmt: skip

PACKAGES = (
    P("npm", "npm: automation token", "NPM_TOKEN", lambda d: d.github("np" + "m_")),
    P("npm-auth-line", "npm: auth token", "NPMRC", lambda d: f"//registry.npmjs.org/:_authToken={d.uuid()}"),
    P("pypi", "PyPI: API token", "TWINE_PASSWORD", lambda d: "pyp" + "i-AgEIcHlwaS5vcmc" + d.url(150)),
    P("rubygems", "RubyGems: API key", "GEM_HOST_API_KEY", lambda d: "ruby" + "gems_" + d.hex(48)),
    P("crates", "crates.io: token", "CARGO_REGISTRY_TOKEN", lambda d: "ci" + "o" + d.an(32)),
    P("nuget", "NuGet: API key", "NUGET_API_KEY", lambda d: "oy" + "2" + d.low(43)),
    P("dockerhub", "Docker Hub: access token", "DOCKERHUB_TOKEN", lambda d: "dck" + "r_pat_" + d.url(27)),
    P("dockerhub-org", "Docker Hub: organization token", "DOCKERHUB_TOKEN", lambda d: "dck" + "r_oat_" + d.url(32)),
    Q("packagist", "Packagist: API token", "PACKAGIST_TOKEN", lambda d: d.url(20)),
    P("clojars", "Clojars: deploy token", "CLOJARS_PASSWORD", lambda d: "CLO" + "JARS_" + d.hex(60)),
    Q("hex", "Hex.pm: API key", "HEX_API_KEY", lambda d: d.hex(32)),
    P("artifactory", "Artifactory: API key", "ARTIFACTORY_API_KEY", lambda d: "AKC" + "p" + d.an(69)),
    P("artifactory-token", "Artifactory: reference token", "JFROG_TOKEN", lambda d: "cmV" + "mdGtu" + d.an(56)),
    Q("chocolatey", "Chocolatey: API key", "CHOCOLATEY_API_KEY", lambda d: d.uuid()),
    Q("sonatype", "Sonatype: user token password", "OSSRH_PASSWORD", lambda d: d.an(44)),
    Q("nexus", "Nexus: password", "NEXUS_PASSWORD", Draw.plain_pw),
    Q("gradle", "Gradle: publish secret", "GRADLE_PUBLISH_SECRET", lambda d: d.an(32)),
)  # fmt: skip

WATCHING = (
    M("datadog-api", "Datadog: API key", "DD_API_KEY", lambda d: d.hex(32)),
    M("datadog-app", "Datadog: application key", "DD_APP_KEY", lambda d: d.hex(40)),
    F("newrelic-user", "New Relic: user key", "NEW_RELIC_API_KEY", lambda d: "NR" + "AK-" + d.up(27)),
    F("newrelic-license", "New Relic: license key", "NEW_RELIC_LICENSE_KEY", lambda d: d.hex(36) + "NR" + "AL"),
    F("newrelic-insert", "New Relic: insert key", "NEW_RELIC_INSERT_KEY", lambda d: "NR" + "II-" + d.url(32)),
    F("sentry-dsn", "Sentry: DSN secret", "SENTRY_DSN",
      lambda d: f"https://{d.hex(32)}:{d.hex(32)}@o{d.digits(6)}.ingest.sentry.io/{d.digits(7)}"),
    F("sentry-org", "Sentry: organization token", "SENTRY_AUTH_TOKEN", sentry),
    F("sentry-user", "Sentry: user token", "SENTRY_AUTH_TOKEN", lambda d: "sntr" + "yu_" + d.hex(64)),
    F("grafana-account", "Grafana: service account token", "GRAFANA_TOKEN", lambda d: "gls" + f"a_{d.an(32)}_{d.hex(8)}"),
    F("grafana-cloud", "Grafana Cloud: token", "GRAFANA_CLOUD_TOKEN",
      lambda d: "gl" + "c_" + base64.b64encode(f'{{"o":"{d.digits(6)}","n":"ci","k":"{d.an(24)}","m":{{"r":"eu"}}}}'.encode()).decode()),
    M("pagerduty", "PagerDuty: API key", "PAGERDUTY_TOKEN", lambda d: "u+" + d.url(18)),
    M("honeycomb", "Honeycomb: API key", "HONEYCOMB_API_KEY", lambda d: d.an(22)),
    F("honeycomb-ingest", "Honeycomb: ingest key", "HONEYCOMB_API_KEY", lambda d: "hca" + "ik_01" + d.low(56)),
    F("dynatrace", "Dynatrace: API token", "DT_API_TOKEN", lambda d: "dt0" + f"c01.{d.b32(24)}.{d.b32(64)}"),
    M("splunk", "Splunk: HEC token", "SPLUNK_HEC_TOKEN", lambda d: d.uuid()),
    M("rollbar", "Rollbar: access token", "ROLLBAR_ACCESS_TOKEN", lambda d: d.hex(32)),
    M("bugsnag", "Bugsnag: API key", "BUGSNAG_API_KEY", lambda d: d.hex(32)),
    M("opsgenie", "Opsgenie: API key", "OPSGENIE_API_KEY", lambda d: d.uuid()),
    M("loggly", "Loggly: customer token", "LOGGLY_TOKEN", lambda d: d.uuid()),
    F("axiom", "Axiom: API token", "AXIOM_TOKEN", lambda d: "xaa" + "t-" + d.uuid()),
    F("posthog", "PostHog: personal API key", "POSTHOG_API_KEY", lambda d: "ph" + "x_" + d.an(43)),
    M("mixpanel", "Mixpanel: API secret", "MIXPANEL_SECRET", lambda d: d.hex(32)),
    M("sumologic", "Sumo Logic: access key", "SUMO_ACCESS_KEY", lambda d: d.an(64)),
    M("logdna", "LogDNA: ingestion key", "LOGDNA_INGESTION_KEY", lambda d: d.hex(32)),
)  # fmt: skip
