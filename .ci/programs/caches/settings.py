"""The settings of shared caches: the settings of the guides, and lines that store the most."""
from reverse_proxies import settings_of

# For each cache: lines of its settings, and what stands in their place.
STORE = {
    "nginx": [
        ("upstream shop {", "proxy_cache_path {folder}/cache keys_zone=all:1m;\nupstream shop {"),
        ("proxy_pass http://shop;", "proxy_pass http://shop;\nproxy_cache all;\nproxy_cache_valid any 1m;"),
    ],
    "HAProxy": [
        ("frontend web", "cache all\n    total-max-size 16\n    max-age 60\n    process-vary on\n\nfrontend web"),
        ("backend shop", "backend shop\n    http-request cache-use all\n    http-response cache-store all"),
    ],
    "Apache": [
        ("ProxyPreserveHost On", """
LoadModule cache_module /usr/lib/apache2/modules/mod_cache.so
LoadModule cache_socache_module /usr/lib/apache2/modules/mod_cache_socache.so
LoadModule socache_shmcb_module /usr/lib/apache2/modules/mod_socache_shmcb.so
CacheEnable socache "/"
CacheSocache shmcb:{folder}/cache(10485760)
ProxyPreserveHost On"""),
    ],
    "Varnish": [],
    "Squid": [("cache deny all", "cache_mem 16 MB")],
    "Traffic Server": [
        # Responses without a lifetime are stored too.
        ("CONFIG", "CONFIG proxy.config.http.cache.required_headers INT 0\nCONFIG proxy.config.http.cache.http INT 1\nCONFIG"),
    ],
}


def storing(name):
    settings = settings_of(name)
    for line, replacement in STORE[name]:
        assert line in settings, f"the settings of {name} have no {line}"
        settings = settings.replace(line, replacement, 1)
    return settings
