"""What the test of a connection says, and the look for a new release."""

from __future__ import annotations

from desktop_app.domain.wording.providers import N_

MESSAGES: dict[str, str] = {
    # -- the test of a connection
    "providers.test_key_ok": N_("The key works."),
    "providers.test_answers": N_("{host} answers, without a key."),
    "providers.test_busy": N_("{host} accepts the key, but asks to slow down just now."),
    "providers.test_no_endpoint": N_(
        "{host} doesn't know this kind of call (HTTP {status}). Check the address."
    ),
    "providers.test_web_page": N_(
        "{host} answered with a web page, as no provider does. Check the address, and whether this "
        "network wants you to sign in first."
    ),
    "providers.test_model_ok": N_("The model {model} is there."),
    "providers.test_model_missing": N_("{model} is not among the {n} models that are listed."),
    "providers.test_model_missing_one": N_("{model} is not the one model that is listed."),
    "providers.test_model_any": N_("The model that it has will answer: {models}."),
    "providers.test_unlisted": N_("No models are listed, so {model} could not be checked."),
    "providers.test_latency": N_("It answered in {ms} ms."),
    "providers.test_limit": N_("It tells its limit: {limit} requests."),
    "providers.test_limit_left": N_("It tells its limit: {limit} requests, {left} of them left."),
    "providers.test_price_call": N_("The price entered: {price}/call."),
    "providers.test_price_image": N_("The price entered: {price}/image."),
    "providers.test_price_tokens": N_("The price entered: {price}/1k-tokens."),
    "providers.test_price_million_tokens": N_("The price entered: {price}/1m-tokens."),
    "providers.test_no_limit": N_("It tells no limits in its answer."),
    "providers.test_no_price": N_(
        "No price is entered, so what a run may cost can't be told beforehand."
    ),
    "providers.test_clock_ahead": N_(
        "This computer's clock is {minutes} minutes ahead of the server's. Set it right."
    ),
    "providers.test_clock_behind": N_(
        "This computer's clock is {minutes} minutes behind the server's. Set it right."
    ),
    "providers.test_proxy": N_("Through the proxy {proxy}."),
    "providers.test_direct": N_("Without a proxy."),
    "providers.releases_unreachable": N_(
        "The page with the releases can't be reached. Is this computer online?"
    ),
    "providers.releases_nowhere": N_(
        "This copy of Batchwright does not know where new versions are published. Ask whoever gave"
        " it to you."
    ),
    "providers.releases_refused": N_("The page with the releases answered {status}. Try later."),
    "providers.releases_unreadable": N_("What the page with the releases says can't be read."),
    "providers.test_unreachable": N_("Can't reach {host} in {seconds} s. Set a proxy?"),
    "providers.test_set_proxy": N_("Set a proxy?"),
}
